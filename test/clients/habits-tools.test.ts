/** Requests as command-line tools and servers send them, including discovery and probing. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { before, test } from "node:test";
import { aScene } from "../support/attacks.ts";
import {
  aCode,
  anApplication,
  aProof,
  aVisitor,
  hiddenFields,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { PASSWORD, type World } from "../support/world.ts";

let world: World;
let dev: Visitor;
let tool: TestApplication;

before(async () => {
  const described = { redirectUris: ["http://127.0.0.1"], confidential: false };
  ({ world, dev, application: tool } = await aScene({}, described));
});

test("native programs use any port of a registered loopback address without path, and Basic without a secret (RFC 8252 §7.3)", async () => {
  const redirectUri = "http://127.0.0.1:43211";
  const code_verifier = randomBytes(32).toString("base64url");
  const code = await aCode(
    dev,
    { ...tool, redirectUri },
    {
      scope: "read_user api",
      code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
      code_challenge_method: "S256",
    },
  );
  const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier };
  const authorization = `Basic ${Buffer.from(`${tool.uid}:`).toString("base64")}`;
  const issued = await tokenCall(world, form, { authorization });
  assert.equal(issued.status, 200, issued.text);
  assert.ok(issued.json.refresh_token);
});

test("dex and oauth2-proxy read groups from userinfo, with the scopes that each requests (decision 0123)", async () => {
  const json = { user_id: world.ids.dev, access_level: 20 };
  const made = await world.call("/api/v4/groups", { as: "ada", json: { name: "Pilots", path: "pilots" } });
  await world.call(`/api/v4/groups/${made.json.id}/members`, { as: "ada", json });
  const door = await anApplication(world, { scopes: ["read_user", "profile", "email", "openid"] });
  for (const scope of ["read_user openid", "openid email profile"]) {
    const code = await aCode(dev, door, { scope });
    const form = { grant_type: "authorization_code", code, redirect_uri: door.redirectUri };
    const issued = await tokenCall(world, form, { authorization: door.basic });
    const { json: claims } = await world.call("/oauth/userinfo", { token: issued.json.access_token });
    assert.deepEqual([claims.nickname, claims.groups], ["dev", ["pilots"]], scope);
  }
});

test("glab signs in by browser with its fixed scopes, one of them for repositories (decision 0123)", async () => {
  const scopes = ["openid", "profile", "read_user", "api"] as const;
  const redirectUris = ["http://localhost:7171/auth/redirect"];
  const glab = await anApplication(world, { confidential: false, redirectUris, scopes: [...scopes] });
  const { verifier, challenge } = aProof();
  const code = await aCode(dev, glab, {
    scope: "openid profile read_user write_repository api",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const form = { grant_type: "authorization_code", code, redirect_uri: glab.redirectUri };
  const issued = await tokenCall(world, { ...form, code_verifier: verifier, client_id: glab.uid });
  assert.deepEqual([issued.status, issued.json.scope], [200, scopes.join(" ")], issued.text);
});

test("unknown addresses below /api answer 404 in JSON, whatever the token and method (reference events A1)", async () => {
  const token = await world.tokenOf("dev", "api");
  for (const path of ["/api/", "/api/graphql", "/api/v3/users", "/api/v4", "/api/v4/"]) {
    for (const method of ["GET", "POST"]) {
      const reply = await world.call(path, { method, token });
      assert.deepEqual([reply.status, reply.json], [404, { error: "404 Not Found" }], `${method} ${path}`);
      assert.equal(reply.headers.get("content-type"), "application/json");
    }
  }
});

test("doubled slashes and a slash at the end of a path are accepted (decision 0123)", async () => {
  const token = await world.tokenOf("dev", "api");
  for (const path of ["//api/v4/user", "/api//v4/user/", `/api/v4/user/?access_token=${token}`]) {
    const reply = await world.call(path, path.includes("?") ? {} : { token });
    assert.deepEqual([reply.status, reply.json?.username], [200, "dev"], path);
  }
  for (const path of ["//oauth/token", "/oauth/token/"]) {
    const reply = await world.call(path, { form: { grant_type: "refresh_token", client_id: "x" } });
    assert.deepEqual([reply.status, reply.json?.error], [401, "invalid_client"], path);
  }
  const found = await world.call("//.well-known/openid-configuration");
  assert.equal(found.json.issuer, world.url);
  const asked = await dev.get(`/oauth/authorize/?client_id=${tool.uid}&redirect_uri=http%3A%2F%2F127.0.0.1`);
  assert.match(asked.headers.get("location") ?? "", /^http:\/\/127\.0\.0\.1\?error=/);
});

test("API paths ending in .json are accepted, and no user, group or project path may end so (decision 0123)", async () => {
  const token = await world.tokenOf("olga", "api");
  const ask = (path: string, json?: object) => world.call(path, { token, ...(json && { json }) });
  assert.equal((await ask("/api/v4/user.json")).json.username, "olga");
  assert.equal((await world.call("/api/v4/user.json")).status, 401);
  const events = `/api/v4/projects/${world.rocket.id}/events.json`;
  const event = { action: "created", target_type: "Issue", target_title: "Leak" };
  assert.equal((await ask(events, event)).status, 201);
  assert.equal((await ask(`${events}?per_page=1`)).json[0].target_title, "Leak");
  assert.equal((await ask("/api/v4/projects/acme%2Frocket.json")).json.id, world.rocket.id);
  assert.equal((await ask("/api/v4/users/dev.json")).json.id, world.ids.dev);
  const named = { name: "Data", path: "data.json" };
  const projects = await ask("/api/v4/projects", named);
  const groups = await ask("/api/v4/groups", { ...named, visibility: "private" });
  const person = { username: "data.json", name: "Data", email: "data@example.org", password: "p".repeat(20) };
  const users = await world.call("/api/v4/users", { as: "ada", json: person });
  for (const { status, text } of [projects, groups, users]) {
    assert.ok(status >= 400 && text.includes("'.json'"), text);
  }
});

test("a body that is neither form nor JSON gets 415 with the accepted media type (RFC 6749 §4.1.3)", async () => {
  const headers = { "content-type": "text/xml" };
  const reply = await world.call("/oauth/token", { method: "POST", body: "<grant/>", headers });
  assert.deepEqual([reply.status, reply.json.error], [415, "invalid_request"]);
  assert.match(reply.json.error_description, /application\/x-www-form-urlencoded/);
});

test("GitLab's addresses that tools print redirect to the pages here, with their query kept (reference oauth A10)", async () => {
  const address = "/-/user_settings/personal_access_tokens?name=glab&scopes=read_user,read_api";
  const led = await dev.get(address);
  const to = led.headers.get("location") ?? "";
  assert.deepEqual(
    [led.status, to],
    [302, "/profile/personal_access_tokens?name=glab&scopes=read_user,read_api"],
  );
  const page = await dev.get(to);
  assert.match(page.text, /value="glab"/);
  for (const known of ["/oauth/applications", "/-/profile", "/.well-known/change-password"]) {
    const reply = await dev.get(known);
    assert.equal(reply.status, 302, known);
    assert.equal((await dev.get(reply.headers.get("location") ?? "")).status, 200, known);
  }
  const spelt = await dev.get("/%2D/profil%65?name=x");
  assert.deepEqual(
    [spelt.status, spelt.headers.get("location")],
    [302, "/profile?name=x"],
    "whatever its percent-encoding",
  );
});

test("a person who is not signed in is redirected there after the sign-in (contract §4, sign in)", async () => {
  const visitor = aVisitor(world);
  const stopped = await visitor.get("/-/profile/two_factor_auth");
  assert.equal(stopped.headers.get("location"), "/users/sign_in");
  const fields = hiddenFields((await visitor.get("/users/sign_in")).text);
  const entered = await visitor.post("/users/sign_in", { ...fields, username: "dev", password: PASSWORD });
  assert.equal(entered.headers.get("location"), "/-/profile/two_factor_auth");
});
