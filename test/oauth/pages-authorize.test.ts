/**
 * `/oauth/authorize`: which errors are pages, which are redirected to the application, and what people are asked and when.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import {
  anApplication,
  answerOf,
  authorizePath,
  aVisitor,
  CALLBACK,
  decide,
  everyHiddenField,
  exchange,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
  dev = await signedIn(world, "dev");
});

async function codesInAll(): Promise<number> {
  const counted = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from authorization_codes`,
  );
  return counted.n;
}

test("a consent page expires after half an hour and then gives no code (contract §4, consent)", async () => {
  const page = await dev.get(authorizePath(application));
  const fields = { ...hiddenFields(page.text, "/oauth/authorize"), decision: "allow" };
  await world.platform.db.run(
    sql`update authorization_requests set expires_at = expires_at - interval '30 minutes'`,
  );
  const before = await codesInAll();
  const late = await dev.post("/oauth/authorize", fields);
  assert.equal(late.status, 400);
  assert.match(late.text, /was open for too long/);
  assert.equal(await codesInAll(), before);
});

test("an unknown client or an invalid redirect_uri is a page with 400 and never a redirect, signed in or not (RFC 6749 §4.1.2.1; contract §4, authorize; spec: GET /oauth/authorize client_id; spec: GET /oauth/authorize redirect_uri; reference oauth D1, D3, reliability S1, S2)", async () => {
  const before = await codesInAll();
  const uri = application.redirectUri;
  for (const [more, raw = ""] of [
    [{ client_id: undefined }],
    [{ client_id: "f".repeat(64) }],
    [{ client_id: application.uid.toUpperCase() }],
    [{ client_id: `${application.uid} ` }],
    [{ client_id: "\0" }],
    [{ redirect_uri: undefined }],
    [{ redirect_uri: "" }],
    [{ redirect_uri: `${uri}/` }],
    [{ redirect_uri: `${uri}#` }],
    [{ redirect_uri: `${uri}\n` }],
    [{ redirect_uri: "javascript:alert(1)" }],
    [{ redirect_uri: "/" }],
    [{}, `&client_id=${application.uid}`],
    [{}, `&redirect_uri=${encodeURIComponent(uri)}`],
    [{ redirect_uri: undefined }, `&redirect_uri[]=${encodeURIComponent(uri)}`],
    [{ state: "x".repeat(4097) }],
  ] as [Record<string, string | undefined>, string?][]) {
    const path = authorizePath(application, more) + raw;
    for (const visitor of [dev, aVisitor(world)]) {
      const reply = await visitor.get(path);
      assert.equal(reply.status, 400, path);
      assert.equal(reply.headers.get("location"), null, path);
      assert.match(reply.headers.get("content-type") ?? "", /^text\/html/, path);
    }
  }
  assert.equal(await codesInAll(), before);
});

test("other errors are redirected to the application with state and iss (RFC 6749 §4.1.2.1; RFC 9207 §2; spec: GET /oauth/authorize response_type; spec: GET /oauth/authorize scope; reference oauth D39, D76, reliability S4, S5, S8)", async () => {
  const narrow = await anApplication(world, { scopes: ["read_user"], grantTypes: ["authorization_code"] });
  const challenge = "x".repeat(43);
  for (const [more, error, raw = ""] of [
    [{ response_type: undefined }, "invalid_request"],
    [{ response_type: "code token" }, "unsupported_response_type"],
    [{ response_type: "CODE" }, "unsupported_response_type"],
    [{ response_type: "none" }, "unsupported_response_type"],
    [{ response_type: "token" }, "unauthorized_client"],
    [{ response_mode: "web_message" }, "invalid_request"],
    [{ scope: "api" }, "invalid_scope"],
    [{ scope: "read_user  profile" }, "invalid_scope"],
    [{ scope: "read_user\tprofile" }, "invalid_scope"],
    [{ scope: "read_user%2Bprofile" }, "invalid_scope"],
    [{ scope: "x".repeat(3000) }, "invalid_scope"],
    [{ code_challenge: challenge }, "invalid_request"],
    [{ code_challenge: challenge, code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge: "short", code_challenge_method: "S256" }, "invalid_request"],
    [{}, "invalid_request", "&scope=read_user&scope=read_user"],
    [{}, "invalid_request", "&response_type=code"],
  ] as [Record<string, string | undefined>, string, string?][]) {
    for (const visitor of [dev, aVisitor(world)]) {
      const answer = answerOf(await visitor.get(authorizePath(narrow, more) + raw));
      assert.equal(answer.error, error, JSON.stringify(more) + raw);
      assert.ok(answer.error_description);
      assert.equal(answer.state, "s-1");
      assert.equal(answer.iss, world.url);
      assert.equal(answer.code, undefined);
    }
  }
  const repeated = answerOf(await dev.get(`${authorizePath(narrow)}&state=two`));
  assert.equal(repeated.error, "invalid_request");
  assert.equal(repeated.state, undefined);
});

test("the error for a response_type with id_token comes in the fragment, or as a form post (OAuth 2.0 Multiple Response Types §3, §5)", async () => {
  for (const [response_type, response_mode, mark] of [
    ["id_token", undefined, "#"],
    ["id_token token", undefined, "#"],
    ["code id_token", undefined, "#"],
    ["code token", "query", "#"],
    ["none", undefined, "?"],
    ["code code", undefined, "?"],
    ["id_tokens", undefined, "?"],
  ] as const) {
    const reply = await dev.get(authorizePath(application, { response_type, response_mode }));
    const location = reply.headers.get("location") ?? "";
    assert.ok(
      location.startsWith(`${application.redirectUri}${mark}error=unsupported_response_type&`),
      location,
    );
  }
  const asked = { response_type: "code id_token", response_mode: "form_post" };
  const form = await dev.get(authorizePath(application, asked));
  assert.match(form.text, /name="error" value="unsupported_response_type"/);
});

test("unknown parameters are ignored, and a plus sign in scope is a space (RFC 6749 §3.1; spec: GET /oauth/authorize scope)", async () => {
  const reply = await dev.get(`${authorizePath(application)}&scope=read_user+profile&colour=x&colour=y`);
  assert.equal(reply.status, 200);
  assert.match(reply.text, /See your profile/);
  assert.match(reply.text, /Read your account and activity/);
  assert.doesNotMatch(reply.text, /Full access/);
});

test("the consent page names application, owner, redirect host, person and every scope in words (ux §6; reference oauth D42)", async () => {
  const sly = await anApplication(world, {
    name: `<img src=x onerror="alert(1)">`,
    redirectUris: ["http://localhost:4000/cb"],
  });
  const { text, headers } = await dev.get(authorizePath(sly));
  assert.match(text, /&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt; wants to use your account/);
  assert.doesNotMatch(text, /<img/);
  for (const words of [
    "@olga",
    "localhost:4000",
    "not encrypted",
    "@dev",
    "Full access",
    "Act as you",
    sly.uid,
  ]) {
    assert.ok(text.includes(words), words);
  }
  assert.match(headers.get("content-security-policy") ?? "", /form-action 'self' http:\/\/localhost:4000;/);
  assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
  assert.equal(headers.get("x-frame-options"), "DENY");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("access-control-allow-origin"), null);
});

test("an administrator is warned before allowing full access (reference oauth A2)", async () => {
  const ada = await signedIn(world, "ada");
  assert.match((await ada.get(authorizePath(application))).text, /You administer this Gatehouse/);
  assert.doesNotMatch((await dev.get(authorizePath(application))).text, /You administer this Gatehouse/);
});

test("an administrator is warned of what the scopes for reading let an application see of others, and of nothing with less (reference oauth A2; ux §6)", async () => {
  const ada = await signedIn(world, "ada");
  const asking = await anApplication(world, {
    scopes: ["read_api", "read_user", "profile", "openid", "email"],
  });
  for (const [scope, words] of [
    [
      "read_api read_user",
      /able to read everything an administrator can: .*email address and the audit log\./,
    ],
    [
      "read_user",
      /able to see everybody’s email address, sign-ins and activity, including what is private\./,
    ],
    ["profile openid email", undefined],
  ] as const) {
    const page = await ada.get(authorizePath(asking, { scope }));
    assert.equal(page.status, 200, scope);
    if (words) assert.match(page.text, words, scope);
    else assert.doesNotMatch(page.text, /You administer/, scope);
    assert.doesNotMatch((await dev.get(authorizePath(asking, { scope }))).text, /You administer/, scope);
  }
  // So that the warning is true.
  const json = { name: "signed in", scopes: ["read_user"] };
  const { token } = (
    await world.call(`/api/v4/users/${world.ids.ada}/personal_access_tokens`, { as: "ada", json })
  ).json;
  const seen = await world.call(`/api/v4/users/${world.ids.olga}`, { token });
  assert.equal(seen.json.email, "olga@example.org");
});

test("a denial by button or _method is access_denied with the state (RFC 6749 §4.1.2.1; reference oauth A1)", async () => {
  const path = authorizePath(application);
  assert.equal(answerOf(await decide(dev, path, "deny")).error, "access_denied");
  const fields = hiddenFields((await dev.get(path)).text, "/oauth/authorize");
  const denied = answerOf(await dev.post("/oauth/authorize", { ...fields, _method: "delete" }));
  assert.deepEqual([denied.error, denied.state], ["access_denied", "s-1"]);
});

test("an ambiguous or unknown decision counts as a denial; a form without one allows (reference oauth A1, D45, D85)", async () => {
  const path = authorizePath(await anApplication(world));
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answered = async (words: string) => {
    const fields = new URLSearchParams(hiddenFields((await dev.get(path)).text, "/oauth/authorize"));
    return answerOf(await dev.send("/oauth/authorize", `${fields}${words}`, headers));
  };
  for (const words of [
    "&decision=deny&decision=deny",
    "&decision=deny&decision=allow",
    "&decision=allow&decision=deny",
    "&decision=switch&decision=allow",
    "&decision=no",
    "&_method=delete&_method=delete",
    "&decision=allow&_method=DELETE",
  ]) {
    const { error, code } = await answered(words);
    assert.deepEqual([error, code], ["access_denied", undefined], words);
  }
  assert.match((await answered("")).code ?? "", /^goc_/);
});

test("an answer counts once, only with the CSRF token, session and person of its form, and only from this site (S10; reference oauth D15, D40)", async () => {
  const before = await codesInAll();
  const path = authorizePath(application);
  const fields = hiddenFields((await dev.get(path)).text, "/oauth/authorize");
  const gus = await signedIn(world, "gus");
  const own = hiddenFields((await gus.get(path)).text, "/oauth/authorize");
  const send = (visitor: Visitor, form: Record<string, string>, headers = {}) =>
    visitor.post("/oauth/authorize", { decision: "allow", ...form }, headers);
  const { csrf_token: csrf = "", request_id: id = "" } = fields;
  assert.equal((await send(dev, { request_id: id })).status, 403);
  assert.equal((await send(dev, { request_id: id, csrf_token: own.csrf_token ?? "" })).status, 403);
  assert.equal((await send(dev, fields, { origin: "https://evil.example" })).status, 403);
  assert.equal((await send(dev, fields, { "sec-fetch-site": "cross-site" })).status, 403);
  assert.equal((await send(gus, { ...own, request_id: id })).status, 400, "a request of another session");
  assert.equal((await send(aVisitor(world), fields)).status, 403);
  assert.equal((await send(dev, { csrf_token: csrf, request_id: "" })).status, 400);
  assert.equal((await send(dev, { csrf_token: csrf, request_id: "\0" })).status, 400);
  assert.equal(await codesInAll(), before);
  assert.equal((await send(dev, fields)).status, 303);
  assert.equal((await send(dev, fields)).status, 400, "already answered");
  assert.equal(await codesInAll(), before + 1);
});

test("extra fields in the consent form change nothing (S11; reference oauth D45)", async () => {
  const other = await anApplication(world, { redirectUris: ["https://evil.example/cb"] });
  const mine = await anApplication(world);
  const page = await dev.get(authorizePath(mine, { scope: "profile", state: "mine" }));
  const reply = await dev.post("/oauth/authorize", {
    ...hiddenFields(page.text, "/oauth/authorize"),
    client_id: other.uid,
    redirect_uri: other.redirectUri,
    scope: "api",
    state: "theirs",
    response_type: "token",
  });
  const answer = answerOf(reply);
  assert.ok(reply.headers.get("location")?.startsWith(`${CALLBACK}?`));
  assert.equal(answer.state, "mine");
  assert.equal((await exchange(world, mine, answer.code ?? "")).json.scope, "profile");
});

test("a redirect URI removed while the consent page is open is refused at the answer (S20)", async () => {
  const moving = await anApplication(world);
  const page = await dev.get(authorizePath(moving));
  await world.platform.db.run(
    sql`update applications set redirect_uris = '{https://elsewhere.example/}' where id = ${moving.id}`,
  );
  const fields = hiddenFields(page.text, "/oauth/authorize");
  const reply = await dev.post("/oauth/authorize", { ...fields, decision: "allow" });
  assert.equal(reply.status, 400);
  assert.equal(reply.headers.get("location"), null);
});

test("consent for a confidential application is remembered for the same or fewer scopes until it is revoked (contract §4, consent; reference oauth D44)", async () => {
  const known = await anApplication(world);
  const ask = (scope: string) => dev.get(authorizePath(known, { scope }));
  await decide(dev, authorizePath(known, { scope: "read_user profile" }));
  assert.ok(answerOf(await ask("read_user profile")).code);
  assert.ok(answerOf(await ask("profile")).code);
  assert.equal((await ask("api")).status, 200);
  const gus = await signedIn(world, "gus");
  assert.equal((await gus.get(authorizePath(known, { scope: "profile" }))).status, 200, "another person");
  const csrf = hiddenFields((await dev.get("/profile/applications")).text).csrf_token ?? "";
  const revoked = await dev.post(`/profile/applications/${known.id}/revoke`, { csrf_token: csrf });
  // The fragment leads to the message.
  assert.equal(revoked.headers.get("location"), "/profile/applications#main");
  assert.equal((await ask("profile")).status, 200);
});

test("scopes beyond those allowed before are marked as new; without earlier consent none is marked (reference ux §6, consent)", async () => {
  const growing = await anApplication(world);
  const ask = async (scope: string) => (await dev.get(authorizePath(growing, { scope }))).text;
  const isNew = /([\w ]+) <span class="badge brass">New<\/span>/g;
  const marked = (page: string) => [...page.matchAll(isNew)].map(([, title]) => title);
  assert.deepEqual(marked(await ask("profile email")), []);
  await decide(dev, authorizePath(growing, { scope: "read_user" }));
  assert.deepEqual(marked(await ask("profile email write_events")), [
    "See your email address",
    "Write events",
  ]);
  assert.deepEqual(marked(await ask("api")), ["Act as you in every project"]);
});

test("a public application needs consent every time, even if it is marked as trusted (CVE-2023-34246; reference oauth D43; S12)", async () => {
  const open = await anApplication(world, { confidential: false });
  await world.platform.db.run(sql`update applications set trusted = true where id = ${open.id}`);
  const path = authorizePath(open, { code_challenge: "x".repeat(43), code_challenge_method: "S256" });
  assert.ok(answerOf(await decide(dev, path)).code);
  assert.equal((await dev.get(path)).status, 200);
});

test("a trusted confidential application needs no consent (reference oauth A9)", async () => {
  const trusted = await anApplication(world);
  await world.platform.db.run(sql`update applications set trusted = true where id = ${trusted.id}`);
  assert.ok(answerOf(await dev.get(authorizePath(trusted))).code);
  const stranger = await aVisitor(world).get(authorizePath(trusted));
  assert.equal(stranger.headers.get("location"), "/users/sign_in");
});

test("HEAD requests, prefetches, frames and scripts get no code (S13)", async () => {
  const known = await anApplication(world);
  const path = authorizePath(known);
  await decide(dev, path);
  const before = await codesInAll();
  for (const headers of [
    { "sec-purpose": "prefetch" },
    { purpose: "prefetch" },
    { "x-moz": "prefetch" },
    { "sec-fetch-dest": "iframe" },
    { "sec-fetch-dest": "empty" },
  ] as Record<string, string>[]) {
    const reply = await dev.get(path, headers);
    assert.equal(reply.headers.get("location"), null, JSON.stringify(headers));
  }
  const head = await world.call(path, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("location")], [405, null]);
  assert.equal(head.headers.get("allow"), "GET, POST, DELETE");
  assert.equal(await codesInAll(), before);
  assert.ok(answerOf(await dev.get(path, { "sec-fetch-dest": "document" })).code);
});

test("after a form of this server the code is delivered by a refreshing page instead of a redirect (decision 0011)", async () => {
  const known = await anApplication(world);
  const path = authorizePath(known);
  await decide(dev, path);
  for (const headers of [
    { "sec-fetch-site": "same-origin", "sec-fetch-dest": "document" },
    { "upgrade-insecure-requests": "1", referer: `${world.url}/users/sign_in` },
  ] as Record<string, string>[]) {
    const reply = await dev.get(path, headers);
    assert.equal(reply.status, 200);
    assert.match(
      reply.headers.get("refresh") ?? "",
      /^0; url=https:\/\/app\.example\.org\/callback\?code=goc_/,
    );
    assert.match(reply.text, /href="https:\/\/app\.example\.org\/callback\?code=/);
    assert.equal(reply.headers.get("referrer-policy"), "no-referrer");
  }
  for (const headers of [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { referer: `${world.url}/users/sign_in` },
    { "upgrade-insecure-requests": "1", referer: "https://app.example.org/" },
  ] as Record<string, string>[]) {
    assert.equal((await dev.get(path, headers)).status, 303, JSON.stringify(headers));
  }
});

test("special characters in the redirect host add no directive to the page's content security policy (CSP level 3, 2.2.1; reference oauth D41)", async () => {
  const plain = (await dev.get(authorizePath(await anApplication(world)))).headers;
  const policy = plain.get("content-security-policy")?.replace("https://app.example.org;", "https:;") ?? "";
  assert.match(policy, /form-action 'self' https:;/);
  for (const host of ["a.example;sandbox", "a.example;trusted-types", "a.example,sandbox", "a'.example"]) {
    const sly = await anApplication(world, { redirectUris: [`https://${host}/cb`] });
    const { status, headers } = await dev.get(authorizePath(sly));
    assert.equal(status, 200, host);
    assert.equal(headers.get("content-security-policy"), policy, host);
  }
});

test("a native application with a custom URI scheme gets its code from the consent form (RFC 8252 §7.1)", async () => {
  const installed = await anApplication(world, {
    redirectUris: ["tidewatch://signed-in"],
    confidential: false,
  });
  const path = authorizePath(installed, { code_challenge: "x".repeat(43), code_challenge_method: "S256" });
  const page = await dev.get(path);
  assert.match(page.headers.get("content-security-policy") ?? "", /form-action 'self' tidewatch:;/);
  const reply = await dev.post(
    "/oauth/authorize",
    { ...hiddenFields(page.text, "/oauth/authorize"), decision: "allow" },
    { "sec-fetch-site": "same-origin" },
  );
  assert.match(reply.headers.get("location") ?? "", /^tidewatch:\/\/signed-in\?code=goc_/);
});

test("switching the account signs out and leads back to the same request (ux §6)", async () => {
  const rep = await signedIn(world, "rep");
  const path = authorizePath(application, { scope: "read_user", state: "kept" });
  const away = await decide(rep, path, "switch");
  assert.equal(away.status, 303);
  const back = new URL(away.headers.get("location") ?? "", world.url);
  assert.equal(back.pathname, "/oauth/authorize");
  assert.equal(back.searchParams.get("state"), "kept");
  assert.equal(back.searchParams.get("scope"), "read_user");
  const again = await rep.get(back.pathname + back.search);
  assert.equal(again.headers.get("location"), "/users/sign_in");
});

test("a program that sends every hidden field of the page authorizes, or with _method=delete denies, and stays signed in (reference oauth A1, A2; decision 0011)", async () => {
  const rep = await signedIn(world, "rep");
  for (const prompt of ["consent", "select_account"]) {
    const path = authorizePath(application, { prompt });
    const fields = async () => everyHiddenField((await rep.get(path)).text);
    assert.match(answerOf(await rep.post("/oauth/authorize", await fields())).code ?? "", /^goc_/, prompt);
    const denied = await rep.post("/oauth/authorize", { ...(await fields()), _method: "delete" });
    assert.equal(answerOf(denied).error, "access_denied", prompt);
    const page = (await rep.get(path)).text;
    const [button] = /<button[^>]*>Not you\?/.exec(page) ?? [];
    assert.match(button ?? "", / name="decision" value="switch" form="not-you"/);
  }
});

test("the sign-in page names the application that it continues to, also after a wrong password, and otherwise none (reference ux §7, sign in; D42)", async () => {
  const tricky = await anApplication(world, { name: "Relay <b> & Co" });
  const gus = aVisitor(world);
  await gus.get(authorizePath(tricky));
  const page = await gus.get("/users/sign_in");
  assert.match(page.text, /to continue to <strong class="wrap-any">Relay &lt;b&gt; &amp; Co<\/strong>/);
  const wrong = { ...hiddenFields(page.text), username: "nobody-here", password: "not the password" };
  const refused = await gus.post("/users/sign_in", wrong);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /to continue to <strong/);
  await world.platform.db.run(sql`delete from applications where id = ${tricky.id}`);
  assert.doesNotMatch((await gus.get("/users/sign_in")).text, /to continue to/);
  const plain = aVisitor(world);
  await plain.get("/profile");
  assert.doesNotMatch((await plain.get("/users/sign_in")).text, /to continue to/);
});

test("a person who still owes the second factor counts as not signed in; after it the consent page is shown (reference oauth D48; S57)", async () => {
  const { secret } = await turnOnTwoFactor(world, "olga");
  const olga = aVisitor(world);
  const path = authorizePath(application);
  await olga.get(path);
  const form = hiddenFields((await olga.get("/users/sign_in")).text);
  const half = await olga.post("/users/sign_in", { ...form, username: "olga", password: PASSWORD });
  assert.equal(half.headers.get("location"), "/users/two_factor");
  for (const closed of [path, "/profile/applications"]) {
    assert.equal((await olga.get(closed)).headers.get("location"), "/users/sign_in");
  }
  const step = hiddenFields((await olga.get("/users/two_factor")).text);
  const whole = await olga.post("/users/two_factor", { ...step, code: codeOf(secret) });
  assert.equal(whole.status, 303, whole.text);
  assert.equal((await olga.get(path)).status, 200);

  const refused = await world.call("/oauth/token", {
    form: { grant_type: "password", username: "olga", password: PASSWORD },
    headers: { authorization: application.basic },
  });
  assert.deepEqual([refused.status, refused.json.error], [400, "invalid_grant"]);
});

test("the consent page says how long access lasts, with and without refresh tokens (contract §4, lifetimes)", async () => {
  const plain = await anApplication(world, { grantTypes: ["authorization_code"] });
  const lastsFor = async (path: string) =>
    /<dt>Access lasts<\/dt><dd>([^<]*)/.exec((await dev.get(path)).text)?.[1];
  const renewed = "up to 180 days, and ends after 30 days without use";
  assert.equal(await lastsFor(authorizePath(application, { prompt: "consent" })), renewed);
  const token = { prompt: "consent", response_type: "token" };
  assert.equal(
    await lastsFor(authorizePath(application, token)),
    "2 hours",
    "the implicit flow has no refresh tokens",
  );
  assert.equal(await lastsFor(authorizePath(plain)), "2 hours");
  const device = await anApplication(world, { grantTypes: ["device_code", "refresh_token"] });
  const begun = await world.call("/oauth/authorize_device", {
    form: { client_id: device.uid, scope: "read_user" },
    headers: { authorization: device.basic },
  });
  const form = hiddenFields((await dev.get("/oauth/device")).text, "/oauth/device");
  const question = await dev.post("/oauth/device", { ...form, user_code: begun.json.user_code });
  assert.match(question.text, new RegExp(`Access lasts ${renewed}<`));
});
