/** Requests as programs that sign people in send them, after the redirect. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aKey, assertionForm, setOf } from "../support/assertions.ts";
import { aScene } from "../support/attacks.ts";
import {
  aCode,
  anApplication,
  answerOf,
  aProof,
  authorizePath,
  decide,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import type { Reply, World } from "../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  const scopes = ["api", "read_api", "read_user", "openid", "profile", "email"];
  ({ world, dev, application } = await aScene({}, { scopes }));
});

const basicOf = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
const inBody = () => ({ client_id: application.uid, client_secret: application.secret });

/** A new code with the parameters that redeem it, without client authentication. */
async function redemption(scope: string) {
  const code = await aCode(dev, application, { scope });
  return { grant_type: "authorization_code", code, redirect_uri: application.redirectUri };
}

async function tokenFor(scope: string): Promise<string> {
  const issued = await tokenCall(world, { ...(await redemption(scope)), ...inBody() });
  assert.equal(issued.status, 200, issued.text);
  return issued.json.access_token;
}

/** As most of them call the API: with Bearer and Accept for JSON. */
const ask = (path: string, token: string, headers: Record<string, string> = {}): Promise<Reply> =>
  world.call(path, { token, headers: { accept: "application/json", ...headers } });

test("Go, oauth2, which tries Basic and then the body: failed client authentication leaves the code unspent (RFC 6749 §4.1.2, §5.2)", async () => {
  const { uid, secret } = application;
  const form = await redemption("read_user");
  for (const authorization of [
    basicOf(uid, ""),
    basicOf(uid, `${secret}x`),
    basicOf("0".repeat(64), secret),
    `Bearer ${secret}`,
  ]) {
    const refused = await tokenCall(world, form, { authorization });
    assert.deepEqual([refused.status, refused.json.error], [401, "invalid_client"]);
    assert.match(refused.headers.get("www-authenticate") ?? "", /^Basic/);
  }
  assert.equal((await tokenCall(world, { ...form, client_id: uid })).status, 401);
  const issued = await tokenCall(world, { ...form, ...inBody() });
  assert.equal(issued.status, 200, issued.text);
});

test("Python, requests-oauthlib, which raises when the scope changes: the response has the granted scope (RFC 6749 §5.1)", async () => {
  for (const scope of ["read_user", "profile read_user", "openid email profile", "api", "read_user api"]) {
    const issued = await tokenCall(world, { ...(await redemption(scope)), ...inBody() });
    assert.deepEqual(issued.json.scope.split(" ").sort(), scope.split(" ").sort());
    const refresh = { grant_type: "refresh_token", refresh_token: issued.json.refresh_token, ...inBody() };
    assert.equal((await tokenCall(world, refresh)).json.scope, issued.json.scope);
  }
});

test("better-auth's GitLab provider reads an active, unlocked user with all members it needs (reference oauth A8)", async () => {
  const { json } = await ask("/api/v4/user", await tokenFor("read_user"));
  assert.equal(json.state, "active");
  assert.ok(!json.locked);
  for (const member of ["name", "username", "email", "avatar_url", "web_url"])
    assert.ok(json[member], member);
});

test("grant, with its own user agent, reads a JSON token response and the profile (RFC 6749 §5.1)", async () => {
  const headers = { "user-agent": "simov/grant", accept: "*/*" };
  const issued = await tokenCall(world, { ...(await redemption("read_user")), ...inBody() }, headers);
  assert.match(issued.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal((await ask("/api/v4/user", issued.json.access_token, headers)).json.username, "dev");
});

test("hapi's bell, grant and passport-gitlab read the user at /api/v3/user, with the token in header or query (decision 0123)", async () => {
  const token = await tokenFor("read_user");
  const { text } = await ask("/api/v4/user", token);
  for (const [path, given] of [
    ["/api/v3/user", { token }],
    [`/api/v3/user?access_token=${token}`, {}],
    ["//api/v3/user", { token }],
  ] as const) {
    const person = await world.call(path, given);
    assert.deepEqual([person.status, person.text], [200, text], path);
  }
  assert.equal((await world.call("/api/v3/user")).status, 401);
  assert.equal((await ask("/api/v3/user", await tokenFor("openid"))).status, 403);
});

test("PHP, league with its GitLab provider: numbers are numbers, and errors are text in message or error (reference oauth A8)", async () => {
  const { json } = await ask("/api/v4/user", await tokenFor("api"));
  assert.deepEqual([typeof json.id, json.external, json.username], ["number", false, "dev"]);
  for (const [path, token, status] of [
    ["/api/v4/user", "goa_wrong", 401],
    ["/api/v4/user", await tokenFor("openid"), 403],
    ["/api/v4/projects/none%2Fsuch", await tokenFor("api"), 404],
  ] as const) {
    const refused = await ask(path, token);
    assert.equal(refused.status, status);
    assert.match(refused.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(typeof (refused.json.message ?? refused.json.error), "string");
  }
  const code = { ...(await redemption("api")), code: "wrong", ...inBody() };
  assert.equal(typeof (await tokenCall(world, code)).json.error, "string");
});

test("Java, Spring Security: form-encoded Basic credentials, then userinfo with Bearer (RFC 6749 §2.3.1; OpenID Connect Core §5.3)", async () => {
  const form = (text: string) => encodeURIComponent(text).replaceAll("_", "%5F");
  const issued = await world.call("/oauth/token", {
    method: "POST",
    headers: {
      authorization: basicOf(form(application.uid), form(application.secret)),
      accept: "application/json;charset=UTF-8",
      "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
    },
    body: new URLSearchParams(await redemption("openid profile email")).toString(),
  });
  assert.equal(issued.status, 200, issued.text);
  const person = await ask("/oauth/userinfo", issued.json.access_token);
  assert.match(person.headers.get("content-type") ?? "", /^application\/json/);
  assert.deepEqual([person.json.sub, person.json.email_verified], [String(world.ids.dev), true]);
});

test("Grafana reads the user, email addresses, and groups page by page (contract §4, statuses)", async () => {
  for (const path of ["first", "second"]) {
    const made = await world.call("/api/v4/groups", {
      as: "dev",
      json: { name: path, path: `grafana-${path}` },
    });
    assert.equal(made.status, 201, made.text);
  }
  const token = await tokenFor("read_api");
  assert.equal((await ask("/api/v4/user", token)).json.state, "active");
  const addresses = await ask("/api/v4/user/emails", token);
  assert.deepEqual(
    addresses.json.map(({ email }: { email: string }) => email),
    [(await ask("/api/v4/user", token)).json.email],
  );
  assert.equal(addresses.headers.get("x-total"), "1");
  assert.deepEqual((await ask("/api/v4/user/emails?page=2", token)).json, []);
  const paths: string[] = [];
  let next: string | undefined = `${world.url}/api/v4/groups?min_access_level=10&per_page=1`;
  while (next) {
    const { pathname, search } = new URL(next);
    const page = await ask(`${pathname}${search}`, token);
    assert.equal(page.status, 200);
    paths.push(...page.json.map(({ full_path }: { full_path: string }) => full_path));
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
  }
  for (const path of ["grafana-first", "grafana-second"]) assert.ok(paths.includes(path), path);
});

test("GET /user/emails returns the user's own addresses, and needs the scopes of GET /user (reference oauth A8)", async () => {
  assert.equal((await world.call("/api/v4/user/emails")).status, 401);
  assert.equal((await ask("/api/v4/user/emails", await tokenFor("openid"))).status, 403);
  const { json } = await ask("/api/v4/user/emails", await tokenFor("read_user"));
  assert.deepEqual(Object.keys(json[0]), ["id", "email", "confirmed_at"]);
});

test("Jenkins, Drone and Woodpecker list the user's projects with parameters that are ignored here (reference events B2)", async () => {
  const token = await tokenFor("api");
  for (const query of [
    "membership=true",
    "membership=true&simple=true&per_page=100&page=1&order_by=last_activity_at&sort=desc",
    "min_access_level=30&membership=true&archived=false",
  ]) {
    const listed = await ask(`/api/v4/projects?${query}`, token);
    assert.equal(listed.status, 200, query);
    const paths = listed.json.map((one: { path_with_namespace: string }) => one.path_with_namespace);
    assert.ok(paths.includes("acme/rocket"), query);
  }
  const group = await ask("/api/v4/groups?all_available=false&per_page=100", token);
  assert.equal(group.status, 200);
});

test("Ruby, omniauth-gitlab: the token in a header, whatever the case of the scheme (RFC 9110 §11.1)", async () => {
  const token = await tokenFor("read_user");
  for (const authorization of [`Bearer ${token}`, `bearer ${token}`]) {
    const person = await world.call("/api/v4/user", { headers: { authorization, accept: "*/*" } });
    assert.deepEqual([person.status, person.json.id], [200, world.ids.dev]);
  }
});

test("JavaScript, okta-auth-js revokes a public application's tokens with only the client id in Basic (decision 0016)", async () => {
  const open = await anApplication(world, { confidential: false, scopes: ["openid", "profile"] });
  const { verifier, challenge } = aProof();
  const proof = { code_challenge: challenge, code_challenge_method: "S256" };
  const form = { grant_type: "authorization_code", redirect_uri: open.redirectUri, code_verifier: verifier };
  const code = await aCode(dev, open, { scope: "openid", ...proof });
  const issued = await tokenCall(world, { ...form, code, client_id: open.uid });
  const idAlone = (uid: string) => `Basic ${Buffer.from(uid).toString("base64")}`;
  const revoke = (authorization: string, token: string) =>
    world.call("/oauth/revoke", {
      form: { token_type_hint: "access_token", token },
      headers: { authorization },
    });
  const token = issued.json.access_token;
  assert.equal((await revoke(idAlone(open.uid), token)).status, 200);
  assert.equal((await ask("/oauth/token/info", token)).status, 401);

  const kept = await tokenFor("read_user");
  assert.equal(
    (await revoke(idAlone(application.uid), kept)).status,
    401,
    "a confidential application needs its secret",
  );
  assert.equal((await ask("/oauth/token/info", kept)).status, 200);
  const introspected = { form: { token: kept }, headers: { authorization: idAlone(open.uid) } };
  assert.equal((await world.call("/oauth/introspect", introspected)).status, 401);
});

test("JavaScript, hello.js, AppAuth and angular-oauth2-oidc do not decode plus signs as spaces: responses contain none (RFC 6749 §4.1.2, §4.2.2, appendix B)", async () => {
  const open = await anApplication(world, { scopes: ["read_user", "profile"], grantTypes: ["implicit"] });
  const asked = { scope: "read_user profile", state: "cart + 1 of dev", prompt: "consent" };
  const answers = [
    await decide(dev, authorizePath(application, asked), "deny"),
    await decide(dev, authorizePath(open, { ...asked, response_type: "token" })),
  ];
  for (const reply of answers) {
    const carried = (reply.headers.get("location") ?? "").split(/[?#]/)[1] ?? "";
    const read = Object.fromEntries(
      carried.split("&").map((pair) => pair.split("=").map(decodeURIComponent)),
    );
    assert.deepEqual(read, answerOf(reply), "the same as form decoding returns");
    assert.equal(read.state, asked.state);
  }
});

test("JavaScript, openid-client 5, sends an assertion with two audiences, Python's authlib one for an hour: both are accepted (RFC 7523 §3)", async () => {
  const key = aKey("RS256");
  const grantTypes = ["client_credentials"] as const;
  const keyed = await anApplication(world, { grantTypes, jwks: setOf(key), onlyByKey: true });
  const endpoint = `${world.url}/oauth/token`;
  const hour = Math.floor(Date.now() / 1000) + 3600;
  for (const claims of [{ aud: [world.url, endpoint] }, { aud: endpoint, exp: hour }]) {
    const proof = () => assertionForm(world, keyed, key, { claims });
    const issued = await tokenCall(world, { grant_type: "client_credentials", ...proof() });
    assert.equal(issued.status, 200, issued.text);
    const token = issued.json.access_token;
    const seen = await world.call("/oauth/introspect", { form: { token, ...proof() } });
    assert.equal(seen.json.active, true, seen.text);
  }
});
