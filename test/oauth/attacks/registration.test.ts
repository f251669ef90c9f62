/** Attacks of programs that register themselves: what they say of themselves, what they try with it, and how many they are. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { integer, row } from "../../../src/platform/row.ts";
import { sql } from "../../../src/platform/sql.ts";
import { whenDone } from "../../support/cleanup.ts";
import { stopsMeasuring } from "../../support/measuring.ts";
import {
  answerOf,
  aProof,
  aStranger,
  authorizePath,
  aVisitor,
  decide,
  setRegistration,
  signedIn,
  tokenCall,
  type Visitor,
} from "../../support/oauth.ts";
import { startWorld, type World } from "../../support/world.ts";

const CALLBACK = "https://app.example.org/callback";
const from = (address: string) => ({ "x-forwarded-for": address });
let world: World;
let dev: Visitor;

before(async () => {
  stopsMeasuring();
  world = await startWorld({ GATEHOUSE_TRUSTED_PROXIES: "127.0.0.1,::1" });
  await setRegistration(world, true);
  dev = await signedIn(world, "dev");
});

const register = (json: unknown, on: World = world, headers: Record<string, string> = {}) =>
  on.call("/oauth/register", { json, headers });

async function registered(on: World = world): Promise<number> {
  const sum = sql`select count(*) as n from applications where registered_from is not null`;
  return (await on.platform.db.one(row({ n: integer }), sum)).n;
}

test("an address that runs script, can be anybody's or reads two ways is not registered, alone or beside a good one (reference oauth D1, D2, D4, D5)", async () => {
  const before = await registered();
  for (const uri of [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "blob:https://app.example.org/x",
    "file:///etc/passwd",
    "\u0001javascript:alert(1)",
    "helper://callback",
    "com.example.helper:/callback",
    "urn:ietf:wg:oauth:2.0:oob",
    "http://app.example.org/callback",
    "http://127.0.0.1.evil.example/",
    "http://127.0.0.1@evil.example/",
    "http://localhost.evil.example/",
    "http://localhost@evil.example/",
    "http://localhost:80@evil.example/",
    "http://127.1/",
    "http://0x7f.1/",
    "http://0.0.0.0/",
    "http://169.254.169.254/",
    "https://app.example.org/callback#x",
    "https://user:word@app.example.org/",
    "https://*.example.org/",
    "https://evil\\@app.example.org/",
    "https://app.example.org/\ncb",
    "https://аpp.example.org/",
    "//app.example.org/",
    "https:app.example.org",
    `https://app.example.org/${"a".repeat(2100)}`,
    "",
  ]) {
    for (const redirect_uris of [[uri], [CALLBACK, uri]]) {
      const { status, json } = await register({ redirect_uris });
      assert.deepEqual([status, json.error], [400, "invalid_redirect_uri"], uri);
    }
  }
  assert.equal(await registered(), before);
});

test("members that are not a program's to set change nothing, and no address that it names is fetched (reference oauth D80, D83)", async () => {
  let fetched = 0;
  const bait = createServer((_request, response) => {
    fetched++;
    response.end("{}");
  });
  await new Promise<void>((done) => bait.listen(0, "127.0.0.1", done));
  whenDone(async () => void bait.close());
  const at = `http://127.0.0.1:${(bait.address() as AddressInfo).port}/`;
  const { status, json } = await register({
    redirect_uris: [CALLBACK],
    scope: "api sudo read_user",
    grant_types: ["authorization_code", "password", "client_credentials", "device_code", "implicit"],
    ...{ id: 1, uid: "0".repeat(64), client_id: "0".repeat(64), client_secret: "known", secret: "known" },
    ...{ trusted: true, confidential: true, owner_id: world.ids.ada, registered_from: null, omit_iss: true },
    ...{ self_registered: false, created_at: "2000-01-01", backchannel_logout_uri: at, jwks_uri: at },
    ...{ logo_uri: at, policy_uri: at, tos_uri: at, sector_identifier_uri: at, request_uris: [at] },
    ...{ software_statement: "eyJhbGciOiJub25lIn0.e30.", initiate_login_uri: at, client_uri: at },
  });
  assert.equal(status, 201);
  assert.notEqual(json.client_id, "0".repeat(64));
  assert.deepEqual(
    [json.scope, json.grant_types, json.client_secret],
    ["read_user", ["authorization_code"], undefined],
  );
  const all = await world.call("/api/v4/applications?per_page=100", { as: "ada" });
  const one = all.json.find((each: { application_id: string }) => each.application_id === json.client_id);
  const { trusted, confidential, owner_id, omit_iss, backchannel_logout_uri, self_registered } = one;
  assert.deepEqual(
    [trusted, confidential, owner_id, omit_iss, backchannel_logout_uri, self_registered],
    [false, false, null, false, "", true],
  );
  assert.equal(fetched, 0);
});

test("it gets no token but by the code of a person who was asked, with a proof of its own (reference oauth D19, D21, D32, D43, D55, D63)", async () => {
  const stranger = await aStranger(world);
  const { verifier, challenge } = aProof();
  const proof = { code_challenge: challenge, code_challenge_method: "S256" };
  const refusedBy = async (more: Record<string, string>) => {
    const { text } = await dev.get(authorizePath(stranger, more));
    return /<dt>Error<\/dt><dd><code>(\w+)</.exec(text)?.[1];
  };
  assert.equal(await refusedBy({}), "invalid_request");
  assert.equal(await refusedBy({ ...proof, code_challenge_method: "plain" }), "invalid_request");
  for (const scope of ["api", "read_user write_events", "self_rotate"]) {
    assert.equal(await refusedBy({ ...proof, scope }), "invalid_scope");
  }
  assert.equal(await refusedBy({ response_type: "token", scope: "read_user" }), "unauthorized_client");
  for (const form of [
    { grant_type: "client_credentials" },
    { grant_type: "password", username: "dev", password: "x" },
    { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: "god_x" },
  ]) {
    const { json } = await tokenCall(world, { ...form, client_id: stranger.uid });
    assert.equal(json.error, "unauthorized_client", form.grant_type);
  }
  const device = { client_id: stranger.uid, scope: "read_user" };
  const begun = await world.call("/oauth/authorize_device", { form: device });
  assert.equal(begun.json.error, "unauthorized_client");
  // Asked every time, whatever was allowed a moment ago.
  const path = authorizePath(stranger, { ...proof, scope: "read_user" });
  const { code } = answerOf(await decide(dev, path));
  const exchanged = {
    grant_type: "authorization_code",
    code,
    redirect_uri: CALLBACK,
    client_id: stranger.uid,
  };
  assert.equal((await tokenCall(world, { ...exchanged, code_verifier: verifier })).status, 200);
  assert.equal((await dev.get(path)).status, 200);
  assert.equal(await refusedBy({ ...proof, scope: "read_user", prompt: "none" }), "consent_required");
});

test("a link to this server leads nobody on to a site that nobody here knows: that takes a click, or an answer to the question (RFC 9700 §4.11.2; reference oauth D7; decision 0196)", async () => {
  const site = await aStranger(world);
  const proof = { code_challenge: aProof().challenge, code_challenge_method: "S256" };
  const nobody = aVisitor(world);
  for (const more of [
    { response_type: "bogus" },
    { scope: "api" },
    { prompt: "none" },
    { resource: "https://api.example.org/" },
    { response_type: "token" },
    { response_type: "bogus", response_mode: "form_post" },
  ] as Record<string, string>[]) {
    for (const visitor of [nobody, dev]) {
      const reply = await visitor.get(authorizePath(site, { ...proof, ...more }));
      const { status, headers, text } = reply;
      const moves = [headers.get("location"), headers.get("refresh")];
      assert.deepEqual([status, ...moves], [400, null, null], JSON.stringify(more));
      assert.doesNotMatch(text, /data-send|Helper/);
      assert.match(
        text,
        /An application of <strong class="wrap-any">https:\/\/app\.example\.org<\/strong>, which nobody/,
      );
      assert.match(text, /(href|action)="https:\/\/app\.example\.org\/callback/);
    }
  }
  const path = authorizePath(site, { ...proof, prompt: "none" });
  const framed = await world.call(path, { headers: { "sec-fetch-dest": "iframe" } });
  assert.equal(
    answerOf(framed).error,
    "login_required",
    "a silent question in a frame leads nobody anywhere",
  );
  assert.equal(answerOf(await decide(dev, authorizePath(site, proof), "deny")).error, "access_denied");
  const local = await aStranger(world, { redirect_uris: ["http://127.0.0.1:7/cb"] });
  const bogus = authorizePath(local, { ...proof, response_type: "bogus" });
  assert.equal(answerOf(await nobody.get(bogus)).error, "unsupported_response_type");
});

test("its name is shown as text, cut, beside the host that it sends to (reference oauth D42)", async () => {
  const challenge = { code_challenge: aProof().challenge, code_challenge_method: "S256" };
  for (const client_name of ["<img src=x onerror=alert(1)>", "Gatehouse Official Support Desk ".repeat(7)]) {
    const stranger = await aStranger(world, { client_name });
    const { text } = await dev.get(authorizePath(stranger, challenge));
    assert.doesNotMatch(text, /<img src=x|(Desk .*){4}/);
    assert.match(text, /app\.example\.org/);
    assert.match(text, /Unverified/);
  }
});

test("whatever stands in a member, the answer is no 5xx (reference oauth D85)", async () => {
  const members = [
    ...["redirect_uris", "client_name", "client_uri", "scope", "grant_types", "response_types"],
    ...["token_endpoint_auth_method", "__proto__", "constructor", "client_name#de"],
  ];
  const values = [null, true, 7, "", "\0", "\ud800", [], [[]], [null], {}, { a: 1 }, "9".repeat(5000)];
  for (const name of members) {
    for (const value of values) {
      const text = `{"redirect_uris":["${CALLBACK}"],"grant_types":["x"],${JSON.stringify(name)}:${JSON.stringify(value)}}`;
      const reply = await world.call("/oauth/register", {
        method: "POST",
        body: text,
        headers: { "content-type": "application/json" },
      });
      // With grant types that nobody has nothing is registered, unless the value put them right.
      assert.ok([201, 400].includes(reply.status), `${reply.status} ${text.slice(0, 200)}`);
    }
  }
  for (const body of ["", "{", "null", "7", '"x"', "[1]"]) {
    const reply = await world.call("/oauth/register", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    assert.equal(reply.status, 400, body);
  }
});

test("one network fills its own places and nobody else's, all networks fill those that there are, and use makes room (reference oauth D83)", async () => {
  const limited = await startWorld({
    GATEHOUSE_RATE_LIMITS: "on",
    GATEHOUSE_TRUSTED_PROXIES: "127.0.0.1,::1",
  });
  await setRegistration(limited, true);
  const { db } = limited.platform;
  const json = { redirect_uris: [CALLBACK] };
  const many = await Promise.all(
    Array.from({ length: 60 }, (_, n) => register(json, limited, from(`198.51.100.${n + 1}`))),
  );
  const statuses = many.map(({ status }) => status);
  assert.deepEqual(
    [statuses.filter((s) => s === 201).length, statuses.filter((s) => s === 429).length],
    [50, 10],
  );
  const late = many.find(({ status }) => status === 429);
  assert.deepEqual([late?.json.error, late?.headers.get("retry-after")], ["temporarily_unavailable", "3600"]);
  assert.equal((await register(json, limited, from("203.0.113.1"))).status, 201);

  await db.run(sql`insert into applications (uid, name, redirect_uris, scopes, grant_types, confidential, registered_from)
    select md5('a' || n) || md5('b' || n), 'x', '{}', '{read_user}', '{}', false, 'net ' || n from generate_series(1, 949) as n`);
  const full = await register(json, limited, from("203.0.113.2"));
  assert.deepEqual([full.status, full.json.error], [503, "temporarily_unavailable"]);
  await db.run(sql`insert into authorizations (application_id, user_id, flow, scopes)
    select id, ${limited.ids.dev}, 'authorization_code', '{read_user}' from applications where registered_from = 'net 1'`);
  assert.equal((await register(json, limited, from("203.0.113.2"))).status, 201);
  assert.equal((await register(json, limited, from("203.0.113.2"))).status, 503);
});

test("without rate limits a network has no places of its own (decision 0070)", async () => {
  await world.platform.db.run(sql`insert into applications (uid, name, redirect_uris, scopes, grant_types, confidential, registered_from)
    select md5('c' || n) || md5('d' || n), 'x', '{}', '{read_user}', '{}', false, '198.51.100.0/24' from generate_series(1, 50) as n`);
  assert.equal((await register({ redirect_uris: [CALLBACK] }, world, from("198.51.100.9"))).status, 201);
});

test("an address registers ten a minute, refused ones among them, and no header or spelling makes it another (reference oauth D83, D88)", async () => {
  const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
  await setRegistration(limited, true);
  for (let n = 0; n < 10; n++) {
    const json = n % 2 ? { redirect_uris: [CALLBACK] } : {};
    const reply = await register(json, limited, from(`203.0.113.${n}`));
    assert.equal(reply.status, n % 2 ? 201 : 400);
    assert.equal(reply.headers.get("ratelimit-remaining"), String(9 - n));
  }
  for (const headers of [from("203.0.113.77"), { authorization: "Bearer x" }, {}]) {
    const refused = await register({ redirect_uris: [CALLBACK] }, limited, headers);
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  }
  assert.equal(await registered(limited), 5);
});
