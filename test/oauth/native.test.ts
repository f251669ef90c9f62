/** Native applications that show the code on a page, login_hint, gl_auth_type, and tokens posted in a form. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import {
  aCode,
  anApplication,
  answerOf,
  authorizePath,
  aVisitor,
  decide,
  exchange,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const OOB = "urn:ietf:wg:oauth:2.0:oob";
let world: World;
let dev: Visitor;
let native: TestApplication;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
  native = await anApplication(world, { name: "Tape deck", redirectUris: [OOB, `${OOB}:auto`] });
});

test("for an out-of-band redirect URI the code is shown on a page of this server for the person to copy (reference oauth A1)", async () => {
  for (const redirectUri of [OOB, `${OOB}:auto`]) {
    const application = { ...native, redirectUri };
    const question = await dev.get(authorizePath(application, { prompt: "consent" }));
    assert.match(question.text, /You will be shown a code/);
    assert.doesNotMatch(question.headers.get("content-security-policy") ?? "", /urn/);
    const answered = await decide(dev, authorizePath(application, { prompt: "consent" }));
    const location = answered.headers.get("location") ?? "";
    assert.match(location, /^\/oauth\/authorize\/native\?code=goc_\w+$/);
    const page = await dev.get(location);
    assert.equal(page.status, 200, page.text);
    const [, code = ""] = /id="code"[^>]*>(goc_\w+)</.exec(page.text) ?? [];
    assert.match(page.text, /<title>Copy the code · Gatehouse<\/title>/);
    assert.equal(page.headers.get("referrer-policy"), "no-referrer");
    assert.equal(page.headers.get("cache-control"), "no-store");
    const issued = await exchange(world, application, code);
    assert.equal(issued.status, 200, issued.text);
    assert.equal((await dev.get(location)).status, 400, "the code is spent");
  }
});

test("the page shows a code only to the person who allowed it, and no other text from the address (reference oauth D15)", async () => {
  const location = (await decide(dev, authorizePath(native, { prompt: "consent" }))).headers.get("location");
  const gus = await signedIn(world, "gus");
  for (const path of [location ?? "", "/oauth/authorize/native?code=call+0900", "/oauth/authorize/native"]) {
    const page = await gus.get(path);
    assert.equal(page.status, 400, path);
    assert.doesNotMatch(page.text, /goc_|0900/);
  }
  assert.equal((await aVisitor(world).get(location ?? "")).headers.get("location"), "/users/sign_in");
  await world.platform.db.run(sql`update authorization_codes set expires_at = now() - interval '1 second'`);
  assert.equal((await dev.get(location ?? "")).status, 400);
});

test("errors for an out-of-band redirect URI are shown on a page, without a redirect (reference oauth A2; RFC 6749 §4.1.2.1)", async () => {
  for (const [more, words] of [
    [{ scope: "nonsense" }, /invalid_scope/],
    [{ response_type: "token" }, /response_type must be code/],
    [{ response_mode: "form_post" }, /invalid_request/],
    [{ prompt: "bogus" }, /invalid_request/],
  ] as const) {
    const page = await dev.get(authorizePath(native, more));
    assert.equal(page.status, 400, page.text);
    assert.equal(page.headers.get("location"), null);
    assert.match(page.text, words);
  }
  const denied = await decide(dev, authorizePath(native, { prompt: "consent" }), "deny");
  assert.equal(denied.status, 200);
  assert.match(denied.text, /may not use your account/);
});

test("login_hint prefills the username at sign-in, escaped, and only from an authorization request (OpenID Connect Core §3.1.2.1)", async () => {
  const application = await anApplication(world);
  const visitor = aVisitor(world);
  const hint = 'dev"><b>x';
  const away = await visitor.get(authorizePath(application, { login_hint: hint }));
  assert.equal(away.headers.get("location"), "/users/sign_in");
  const form = await visitor.get("/users/sign_in");
  assert.match(form.text, /value="dev&quot;&gt;&lt;b&gt;x"/);
  const again = aVisitor(world);
  assert.doesNotMatch((await again.get("/users/sign_in?login_hint=dev")).text, /value="dev"/);
  await again.get(authorizePath(application, { login_hint: "dev", prompt: "login" }));
  const twice = await again.get(`${authorizePath(application)}&login_hint=a&login_hint=b`);
  assert.equal(answerOf(twice).error, "invalid_request");
  const person = await signedIn(world, "dev");
  const away2 = await person.get(authorizePath(application, { login_hint: "gus", prompt: "login" }));
  await person.get(away2.headers.get("location") ?? "");
  const shown = await person.get("/users/sign_in");
  assert.match(shown.text, /name="username"[^>]*value="gus"/);
  const entered = await person.post("/users/sign_in", {
    ...hiddenFields(shown.text),
    username: "dev",
    password: PASSWORD,
  });
  assert.match(entered.headers.get("location") ?? "", /^\/oauth\/authorize\?/);
});

test("gl_auth_type=login reduces the requested scope to read_user (reference oauth A2)", async () => {
  const application = await anApplication(world);
  const code = await aCode(dev, application, { gl_auth_type: "login", scope: "api" });
  assert.equal((await exchange(world, application, code)).json.scope, "read_user");
  const without = await anApplication(world, { scopes: ["openid"] });
  assert.equal(
    answerOf(await dev.get(authorizePath(without, { gl_auth_type: "login", scope: "openid" }))).error,
    "invalid_scope",
  );
});

test("userinfo accepts the token in a form too, and no two different ones (RFC 6750 §2.2, §3.1; OpenID Connect Core §5.3.1)", async () => {
  const application = await anApplication(world, { scopes: ["openid", "profile"] });
  const code = await aCode(dev, application, { scope: "openid profile" });
  const { access_token } = (await exchange(world, application, code)).json;
  const read = await world.call("/oauth/userinfo", { form: { access_token } });
  assert.equal(read.status, 200, read.text);
  assert.equal(read.json.preferred_username, "dev");
  for (const [options, status] of [
    [{ form: { access_token: "goa_nonsense" } }, 401],
    [{ form: { access_token: "a b\nc" } }, 401],
    [{ form: {} }, 401],
    [{ form: { access_token }, token: await world.tokenOf("dev", "api") }, 400],
    [{ form: { access_token }, token: access_token }, 200],
    [{ form: { access_token }, headers: { authorization: application.basic } }, 200],
    [{ form: {}, headers: { authorization: application.basic } }, 401],
    [{ json: { access_token } }, 401],
  ] as const) {
    const reply = await world.call("/oauth/userinfo", { method: "POST", ...options });
    assert.equal(reply.status, status, JSON.stringify(options));
  }
  const twice: [string, string][] = Array(2).fill(["access_token", access_token]);
  const repeated = await world.call("/oauth/userinfo", { form: twice });
  assert.deepEqual([repeated.status, repeated.json.error], [400, "invalid_request"]);
});

test("_method=delete in the consent form denies the request (reference oauth A1)", async () => {
  const application = await anApplication(world);
  const page = await dev.get(authorizePath(application));
  const fields = hiddenFields(page.text, "/oauth/authorize");
  const reply = await dev.post("/oauth/authorize", { ...fields, _method: "delete" });
  assert.equal(answerOf(reply).error, "access_denied");
});

test("the consent page shortens long names, removes control characters, and calls applications of other people unverified (reference oauth D42)", async () => {
  const application = await anApplication(world, { name: `<b>${"W".repeat(200)}` });
  await world.platform.db.run(
    sql`update applications set name = ${`\u202e<b>${"W".repeat(200)}`} where id = ${application.id}`,
  );
  const page = await dev.get(authorizePath(application));
  assert.match(page.text, /&lt;b&gt;W{50,60}… wants to use your account/);
  assert.doesNotMatch(page.text, /\u202e|W{65}/);
  assert.match(page.text, /Made by <a href="\/olga">@olga<\/a>[\s\S]*Unverified/);
  assert.match(page.text, /app\.example\.org/);
  const own = await anApplication(world, { owner: null });
  assert.doesNotMatch((await dev.get(authorizePath(own))).text, /Unverified/);
});
