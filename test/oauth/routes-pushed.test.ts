/** `POST /oauth/par`: a pushed request is fully validated and answered with a request_uri (RFC 9126 §2). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sweepOauth } from "../../src/oauth/sweep.ts";
import { countOf } from "../../src/platform/count-of.ts";
import { sql } from "../../src/platform/sql.ts";
import { aPair } from "../support/attacks.ts";
import {
  anApplication,
  answerOf,
  aProof,
  aStranger,
  hiddenFields,
  setRegistration,
  signedIn,
  type TestApplication,
} from "../support/oauth.ts";
import { push, pushed } from "../support/pushed.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
});

const stored = () => countOf(world.platform.db, sql`select count(*) as n from pushed_requests`);

test("a valid request gets 201 with an unguessable request_uri valid for 90 seconds, and no-store (RFC 9126 §2.2; decision 0205)", async () => {
  const reply = await push(world, application);
  assert.equal(reply.status, 201);
  assert.match(reply.json.request_uri, /^urn:ietf:params:oauth:request_uri:[0-9a-f]{64}$/);
  assert.deepEqual(Object.keys(reply.json), ["request_uri", "expires_in"]);
  assert.equal(reply.json.expires_in, 90);
  assert.equal(reply.headers.get("cache-control"), "no-store");
  const { request_uri: other } = (await push(world, application)).json;
  assert.notEqual(other, reply.json.request_uri);
  const secret = reply.json.request_uri.split(":").at(-1);
  const holding = sql`select count(*) as n from pushed_requests p where strpos(p::text, ${secret}) > 0`;
  assert.equal(await countOf(world.platform.db, holding), 0, "only its digest is stored");
  const withSecret = sql`select count(*) as n from pushed_requests p where strpos(p::text, ${application.secret}) > 0`;
  assert.equal(await countOf(world.platform.db, withSecret), 0, "no credentials are stored");
});

test("client authentication works as at the token endpoint: header, body, or the id alone for a public application (RFC 9126 §2.1; decision 0016)", async () => {
  const inHeader = { client_secret: undefined, client_id: undefined };
  const header = { authorization: application.basic };
  assert.equal((await push(world, application, inHeader, header)).status, 201);
  assert.equal((await push(world, application, { client_secret: undefined }, header)).status, 201);
  const open = await anApplication(world, { confidential: false });
  const { challenge } = aProof();
  const proof = { client_secret: undefined, code_challenge: challenge, code_challenge_method: "S256" };
  assert.equal((await push(world, open, proof)).status, 201);
  const before = await stored();
  for (const [more, headers, status, error] of [
    [{ client_secret: undefined }, {}, 401, "invalid_client"],
    [{ client_secret: "gos_wrong" }, {}, 401, "invalid_client"],
    [{ client_id: "0".repeat(64) }, {}, 401, "invalid_client"],
    [{ client_id: undefined, client_secret: undefined }, {}, 401, "invalid_client"],
    [{}, header, 400, "invalid_request"],
    [{ client_id: open.uid, client_secret: undefined }, header, 400, "invalid_request"],
  ] as const) {
    const refused = await push(world, application, more, headers);
    assert.deepEqual([refused.status, refused.json.error], [status, error], JSON.stringify(more));
    assert.equal(refused.headers.has("www-authenticate"), status === 401);
  }
  assert.equal(await stored(), before, "refused requests are not stored");
});

test("every error of an authorization request is returned as JSON at once, and nothing is stored (RFC 9126 §2.3)", async () => {
  const open = await anApplication(world, { confidential: false, grantTypes: ["authorization_code"] });
  const before = await stored();
  const elsewhere = "https://evil.example.org/callback";
  for (const [more, error] of [
    [{ redirect_uri: undefined }, "invalid_request"],
    [{ redirect_uri: elsewhere }, "invalid_request"],
    [{ response_type: undefined }, "invalid_request"],
    [{ response_type: "code token" }, "unsupported_response_type"],
    [{ response_mode: "pigeon" }, "invalid_request"],
    [{ scope: "read_user nonsense" }, "invalid_scope"],
    [{ resource: "https://evil.example.org" }, "invalid_target"],
    [{ prompt: "none login" }, "invalid_request"],
    [{ max_age: "soon" }, "invalid_request"],
    [{ state: "s".repeat(4097) }, "invalid_request"],
    [{ code_challenge: "short", code_challenge_method: "S256" }, "invalid_request"],
    [{ id_token_hint: "not a token" }, "invalid_request"],
    [{ request: "eyJhbGciOiJub25lIn0.e30." }, "request_not_supported"],
    [{ registration: "{}" }, "registration_not_supported"],
    [{ request_uri: "urn:ietf:params:oauth:request_uri:1" }, "invalid_request"],
    [{ request_uri: "https://evil.example.org/request" }, "invalid_request"],
  ] as const) {
    const refused = await push(world, application, more);
    assert.deepEqual([refused.status, refused.json.error], [400, error], JSON.stringify(more));
    assert.equal(refused.headers.get("location"), null);
    assert.equal(refused.headers.get("cache-control"), "no-store");
  }
  const narrow = await anApplication(world, { scopes: ["read_user"] });
  assert.equal((await push(world, narrow, { scope: "api" })).json.error, "invalid_scope");
  const implicit = await push(world, open, { response_type: "token", client_secret: undefined });
  assert.deepEqual([implicit.status, implicit.json.error], [400, "unauthorized_client"]);
  const unproven = await push(world, open, { client_secret: undefined });
  assert.match(unproven.json.error_description, /Code challenge is required/);
  assert.equal(await stored(), before);
});

test("parameters that are not valid UTF-8 or contain NUL are refused, in forms and JSON (RFC 6749 appendix B; RFC 9126 §2.3)", async () => {
  const before = await stored();
  const proof = { client_id: application.uid, client_secret: application.secret };
  const asked = { ...proof, redirect_uri: application.redirectUri, response_type: "code" };
  const form = new URLSearchParams(asked);
  const post = (body: string, type: string) =>
    world.call("/oauth/par", { method: "POST", body, headers: { "content-type": type } });
  for (const [reply, words] of [
    [await post(`${form}&state=%FF%FE`, "application/x-www-form-urlencoded"), /not valid UTF-8/],
    [await post(`${form}&state=%E9`, "application/x-www-form-urlencoded"), /not valid UTF-8/],
    [
      await post(JSON.stringify({ ...asked, state: "a\ud800" }), "application/json"),
      /state is not valid UTF-8/,
    ],
    [await post(JSON.stringify({ ...asked, state: "a\0b" }), "application/json"), /state contains a NUL/],
    [await push(world, application, { state: "a\0b" }), /state contains a NUL/],
    [await push(world, application, { nonce: "a\0b" }), /nonce contains a NUL/],
    [await push(world, application, { login_hint: "a\0b" }), /login_hint contains a NUL/],
    [await push(world, application, { gl_auth_type: "\0" }), /gl_auth_type contains a NUL/],
  ] as const) {
    assert.deepEqual([reply.status, reply.json.error], [400, "invalid_request"]);
    assert.match(reply.json.error_description, words);
  }
  assert.equal(await stored(), before);
});

test("repeated parameters, lists, parameters in the query and overlong bodies are refused (RFC 9126 §2.3; RFC 6749 §3.2)", async () => {
  const twice = [
    ["client_id", application.uid],
    ["client_secret", application.secret],
    ["redirect_uri", application.redirectUri],
    ["response_type", "code"],
  ] as [string, string][];
  for (const more of [
    ["scope", "api"],
    ["state", "1"],
  ] as const) {
    const form = [...twice, [...more] as [string, string], [...more] as [string, string]];
    const refused = await world.call("/oauth/par", { form });
    assert.deepEqual([refused.status, refused.json.error], [400, "invalid_request"], more[0]);
  }
  const listed = await push(world, application, { "scope[]": "api" });
  assert.deepEqual([listed.status, listed.json.error], [400, "invalid_request"]);
  const inAddress = await world.call(`/oauth/par?${new URLSearchParams(twice)}`, { form: [] });
  assert.deepEqual([inAddress.status, inAddress.json.error], [400, "invalid_request"]);
  const long = await push(world, application, { nonce: "n".repeat(17 * 1024) });
  assert.deepEqual([long.status, long.json.error], [413, "invalid_request"]);
  const endless = await push(world, application, { nonce: "n".repeat(3 * 1024 * 1024) });
  assert.deepEqual([endless.status, endless.json.error], [413, "invalid_request"]);
  const asked = await world.call("/oauth/par");
  assert.deepEqual([asked.status, asked.headers.get("allow")?.includes("POST")], [405, true]);
});

test("both metadata documents name the PAR endpoint, and say that it is optional (RFC 9126 §5)", async () => {
  for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]) {
    const { json } = await world.call(path);
    assert.equal(json.pushed_authorization_request_endpoint, `${world.url}/oauth/par`);
    assert.equal(json.require_pushed_authorization_requests, false);
  }
});

test("the application's events record why a pushed request was refused (RFC 9126 §2.3; decision 0080)", async () => {
  const own = await anApplication(world);
  await push(world, own, { redirect_uri: "https://app.example.org/other" });
  const [event] = (await world.call(`/api/v4/applications/${own.id}/events?endpoint=par`, { as: "olga" }))
    .json;
  assert.deepEqual([event.endpoint, event.answer], ["par", "invalid_request"]);
  assert.equal(
    event.reason,
    `redirect_uri differs: sent https://app.example.org/other, registered ${own.redirectUri}`,
  );
});

test("pending requests of public applications are limited per network, and expired ones do not count (RFC 9126 §2.3, §7.3; decision 0205)", async () => {
  const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
  const open = await anApplication(limited, { confidential: false });
  const { challenge } = aProof();
  const proof = { client_secret: undefined, code_challenge: challenge, code_challenge_method: "S256" };
  const { db } = limited.platform;
  await pushed(limited, open, proof);
  await db.run(sql`insert into pushed_requests (digest, application_id, network, parameters, expires_at)
    select sha256(convert_to('flood' || n, 'UTF8')), p.application_id, p.network, '{}', now() + interval '1 minute'
    from generate_series(1, 999) n, (select * from pushed_requests where application_id = ${open.id}) p`);
  const refused = await push(limited, open, proof);
  assert.deepEqual([refused.status, refused.json.error], [429, "temporarily_unavailable"]);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  assert.equal(
    (await push(limited, await anApplication(limited))).status,
    201,
    "authenticated applications are not affected",
  );
  const other = await anApplication(limited, { confidential: false });
  assert.equal((await push(limited, other, proof)).status, 429, "another application from the same network");
  await db.run(
    sql`update pushed_requests set used_at = now() where digest = sha256(convert_to('flood1', 'UTF8'))`,
  );
  assert.equal((await push(limited, other, proof)).status, 201, "answered requests do not count");
  assert.equal((await push(limited, other, proof)).status, 429);
  await db.run(sql`update pushed_requests set expires_at = now() - interval '1 second'
    where application_id = ${open.id} and used_at is null`);
  assert.equal((await push(limited, open, proof)).status, 201, "expired requests do not count");
  await db.run(sql`update pushed_requests set expires_at = now() - interval '1 second'`);
  await sweepOauth(limited.platform);
  assert.equal(await countOf(db, sql`select count(*) as n from pushed_requests`), 0);
});

test("pending requests of a network have no limit without rate limits (decision 0070)", async () => {
  const open = await anApplication(world, { confidential: false });
  const { challenge } = aProof();
  const proof = { client_secret: undefined, code_challenge: challenge, code_challenge_method: "S256" };
  await world.platform.db.run(sql`insert into pushed_requests (digest, application_id, network, parameters, expires_at)
    select sha256(convert_to('load' || n, 'UTF8')), ${open.id}, '127.0.0.0/24', '{}', now() + interval '1 minute'
    from generate_series(1, 1000) n`);
  assert.equal((await push(world, open, proof)).status, 201);
});

test("pending requests are limited per application, too (decision 0205)", async () => {
  const busy = await anApplication(world);
  await world.platform.db.run(sql`insert into pushed_requests (digest, application_id, parameters, expires_at)
    select sha256(convert_to('busy' || n, 'UTF8')), ${busy.id}, '{}', now() + interval '1 minute'
    from generate_series(1, 20000) n`);
  assert.equal((await push(world, busy)).status, 429);
  assert.equal((await push(world, application)).status, 201);
  await world.platform.db.run(
    sql`update pushed_requests set used_at = now() where digest = sha256(convert_to('busy1', 'UTF8'))`,
  );
  assert.equal((await push(world, busy)).status, 201, "answered requests do not count");
});

test("require_pushed_authorization_requests is set by form, API and dynamic registration, and shown on the page (RFC 9126 §6)", async () => {
  const member = "require_pushed_authorization_requests";
  const json = {
    name: "Strict",
    redirect_uri: "https://strict.example.org/cb",
    scopes: "read_user",
    [member]: true,
  };
  const made = await world.call("/api/v4/applications", { as: "ada", json });
  assert.deepEqual([made.status, made.json[member]], [201, true]);
  const path = `/api/v4/applications/${made.json.id}`;
  const renamed = await world.call(path, { as: "ada", method: "PUT", json: { name: "Stricter" } });
  assert.equal(renamed.json[member], true, "an omitted field is kept");
  const off = await world.call(path, { as: "ada", method: "PUT", json: { [member]: false } });
  assert.equal(off.json[member], false);
  const olga = await signedIn(world, "olga");
  const form = await olga.get(`/profile/applications/${application.id}/edit`);
  assert.match(form.text, new RegExp(`name="${member}" value="1"(?! checked)`));
  const at = `/profile/applications/${application.id}`;
  assert.doesNotMatch((await olga.get(at)).text, /Pushed requests only \(PAR\)/);
  const { csrf_token = "" } = hiddenFields(form.text, at);
  const filled = {
    ...{ csrf_token, name: "Relay Console", redirect_uri: application.redirectUri, confidential: "1" },
    ...{ scopes: "api", grant_types: "authorization_code" },
  };
  assert.equal((await olga.post(at, { ...filled, [member]: "1" })).status, 303);
  assert.match((await olga.get(at)).text, /Pushed requests only \(PAR\)/);
  assert.match((await olga.get(`${at}/edit`)).text, new RegExp(`name="${member}" value="1" checked`));
  assert.equal((await olga.post(at, filled)).status, 303);
  assert.doesNotMatch((await olga.get(at)).text, /Pushed requests only \(PAR\)/);
  const begun = await olga.get(`/profile/applications?name=Strict&${member}=true`);
  assert.match(begun.text, new RegExp(`name="${member}" value="1" checked`));
  await setRegistration(world, true);
  const metadata = { redirect_uris: ["https://app.example.org/callback"] };
  const strict = await world.call("/oauth/register", { json: { ...metadata, [member]: true } });
  assert.equal(strict.json[member], true);
  const plain = await world.call("/oauth/register", { json: metadata });
  assert.equal(plain.json[member], undefined);
  const stranger = await aStranger(world);
  const { challenge } = aProof();
  assert.equal(
    (await push(world, stranger, { code_challenge: challenge, code_challenge_method: "S256" })).status,
    201,
  );
});

test("an id_token_hint is validated when it is pushed, and refused if it belongs to another application (OpenID Connect Core §3.1.2.1)", async () => {
  const of = await anApplication(world, { scopes: ["openid", "profile"] });
  const { id_token } = await aPair(world, await signedIn(world, "rep"), of, { scope: "openid profile" });
  assert.equal((await push(world, of, { scope: "openid", id_token_hint: id_token })).status, 201);
  const foreign = await push(world, application, { id_token_hint: id_token });
  assert.deepEqual([foreign.status, foreign.json.error], [400, "invalid_request"]);
});

test("an id_token_hint may be as long as a pushed request, so that it works for people in many groups; longer ones get 413 (OpenID Connect Core §3.1.2.1; decision 0205)", async () => {
  const of = await anApplication(world, { scopes: ["openid", "profile"] });
  const hintAfter = async (groups: number) => {
    await world.platform.db.run(
      sql`with made as (
          insert into namespaces (kind, path, full_path, name, visibility)
          select 'group', path, path, path, 'private'
          from (select format('some-team-%s-%s', ${groups}::bigint, n) as path from generate_series(1, ${groups}) n) p returning id)
        insert into members (namespace_id, user_id, access_level) select id, ${world.ids.stan}, 30 from made`,
    );
    const stan = await signedIn(world, "stan");
    return (await aPair(world, stan, of, { scope: "openid profile" })).id_token as string;
  };
  const long = await hintAfter(180);
  assert.ok(long.length > 8192 && long.length < 15_000, String(long.length));
  const reply = await push(world, of, { scope: "openid", id_token_hint: long });
  assert.equal(reply.status, 201, reply.text);
  const way = new URLSearchParams({ client_id: of.uid, request_uri: reply.json.request_uri });
  const stan = await signedIn(world, "stan");
  const answer = await stan.get(`/oauth/authorize?${way}`);
  assert.match(answerOf(answer).code ?? "", /^goc_/);
  const tooLong = await push(world, of, { scope: "openid", id_token_hint: await hintAfter(200) });
  assert.deepEqual([tooLong.status, tooLong.json.error], [413, "invalid_request"]);
  assert.match(tooLong.json.error_description, /longer than 16 KiB/);
});
