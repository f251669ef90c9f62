/** Resource indicators (RFC 8707) and the metadata of protected resources (RFC 9728). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as oauth from "oauth4webapi";
import { areOurs } from "../../src/oauth/resource.ts";
import {
  aCode,
  anApplication,
  answerOf,
  authorizePath,
  aVisitor,
  codeAt,
  decide,
  exchange,
  hiddenFields,
  refresh,
  signedIn,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const FOREIGN = "https://api.example.org/";
const insecure = { [oauth.allowInsecureRequests]: true };
let world: World;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
  application = await anApplication(world, {
    grantTypes: [
      "authorization_code",
      "refresh_token",
      "password",
      "client_credentials",
      "device_code",
      "implicit",
    ],
  });
});

test("the resource indicators of this service are its origin and its API address, with or without a slash at the end (RFC 8707 §2; decision 0195)", () => {
  const at = "https://gate.example.org";
  for (const ours of [at, `${at}/`, `${at}/api/v4`, `${at}/api/v4/`, ""]) {
    assert.equal(areOurs(at, [ours]), true, ours);
  }
  for (const other of [
    FOREIGN,
    "gate.example.org",
    "/api/v4",
    "http://gate.example.org",
    `${at}:444`,
    `${at}.evil.example`,
    "https://gate.example.org@evil.example",
    `${at}/api`,
    `${at}/api/v4/user`,
    `${at}/api/v4//`,
    `${at}/api/v4#x`,
    `${at}/api/v4?x`,
    `${at}/evil/../api/v4`,
    " ",
    `${at} `,
    7,
    { "0": at },
  ]) {
    assert.equal(areOurs(at, [at, other]), false, String(other));
  }
});

test("a client that knows only the API's address finds the authorization server through its metadata (RFC 9728 §3.1, §3.3)", async () => {
  for (const address of [world.url, `${world.url}/api/v4`]) {
    const resource = new URL(address);
    const reply = await oauth.resourceDiscoveryRequest(resource, insecure);
    assert.equal(reply.headers.get("access-control-allow-origin"), "*");
    const known = await oauth.processResourceDiscoveryResponse(resource, reply);
    assert.deepEqual(known.bearer_methods_supported, ["header"]);
    const [issuer = ""] = known.authorization_servers ?? [];
    const found = await oauth.discoveryRequest(new URL(issuer), { ...insecure, algorithm: "oauth2" });
    const server = await oauth.processDiscoveryResponse(new URL(issuer), found);
    const { protected_resources: protects } = server as { protected_resources?: string[] };
    assert.ok(protects?.includes(known.resource));
    for (const scope of known.scopes_supported ?? []) assert.ok(server.scopes_supported?.includes(scope));
  }
});

test("an authorization request may name this service as resource, also repeatedly; any other gets invalid_target (RFC 8707 §2)", async () => {
  const asking = (...resources: string[]) =>
    `${authorizePath(application, { scope: "api" })}&${new URLSearchParams(resources.map((one): [string, string] => ["resource", one]))}`;
  const api = `${world.url}/api/v4`;
  const allowed = answerOf(await decide(dev, asking(api, `${world.url}/`)));
  assert.equal((await exchange(world, application, allowed.code ?? "")).status, 200);
  for (const resources of [[FOREIGN], [api, FOREIGN], ["x"]]) {
    const refused = answerOf(await dev.get(asking(...resources)));
    assert.deepEqual(
      [refused.error, refused.state, refused.iss, refused.code],
      ["invalid_target", "s-1", world.url, undefined],
    );
  }
  const hidden = `${authorizePath(application)}&${new URLSearchParams({ "resource[]": FOREIGN })}`;
  assert.equal(answerOf(await dev.get(hidden)).error, "invalid_target");
  const implicit = `${authorizePath(application, { response_type: "token", resource: FOREIGN })}`;
  assert.equal(answerOf(await dev.get(implicit)).error, "invalid_target");
  // An unregistered redirect URI is never redirected to, whatever else is wrong.
  const unproven = authorizePath(application, { redirect_uri: "https://evil.example/", resource: FOREIGN });
  const page = await dev.get(unproven);
  assert.deepEqual([page.status, page.headers.get("location")], [400, null]);
});

test("a request that repeats resource gets its code after the sign-in, whether the person was signed in before or not (RFC 8707 §2; OpenID Connect Core §3.1.2.1)", async () => {
  const twice = new URLSearchParams([
    ["resource", world.url],
    ["resource", `${world.url}/api/v4`],
  ]);
  const path = `${authorizePath(application, { scope: "api", prompt: "login" })}&${twice}`;
  for (const visitor of [dev, aVisitor(world)]) {
    const again = await visitor.get(path);
    const location = again.headers.get("location") ?? "";
    assert.equal(again.status, 303);
    assert.match(location, /^\/oauth\/authorize\?/);
    assert.doesNotMatch(location, /prompt|%2C/);
    const stopped = await visitor.get(location);
    assert.equal(stopped.headers.get("location"), "/users/sign_in");
    const form = await visitor.get("/users/sign_in");
    const entered = await visitor.post("/users/sign_in", {
      ...hiddenFields(form.text),
      username: "dev",
      password: PASSWORD,
    });
    const code = await codeAt(visitor, entered.headers.get("location") ?? "");
    const issued = await exchange(world, application, code);
    assert.deepEqual([issued.status, issued.json.scope], [200, "api"], issued.text);
  }
});

test("the token endpoint refuses another resource in every grant before it spends anything (RFC 8707 §2.2)", async () => {
  const proof = { client_id: application.uid, client_secret: application.secret };
  const code = await aCode(dev, application, { scope: "api" });
  const foreign = { resource: FOREIGN };
  const refused = await exchange(world, application, code, foreign);
  assert.deepEqual([refused.status, refused.json.error], [400, "invalid_target"]);
  const issued = await exchange(world, application, code, { resource: `${world.url}/api/v4` });
  assert.equal(issued.status, 200, issued.text);
  const late = await refresh(world, application, issued.json.refresh_token, foreign);
  assert.deepEqual([late.status, late.json.error], [400, "invalid_target"]);
  const next = await refresh(world, application, issued.json.refresh_token, { resource: world.url });
  assert.equal(next.status, 200, next.text);
  const password = { ...proof, grant_type: "password", username: "dev", password: PASSWORD };
  const machine = { ...proof, grant_type: "client_credentials" };
  for (const form of [password, machine]) {
    assert.equal((await tokenCall(world, { ...form, ...foreign })).json.error, "invalid_target");
    assert.equal((await tokenCall(world, { ...form, resource: `${world.url}/` })).status, 200);
  }
  for (const resource of [[world.url, FOREIGN], { a: world.url }, 7]) {
    const reply = await world.call("/oauth/token", { json: { ...machine, resource } });
    assert.deepEqual([reply.status, reply.json.error], [400, "invalid_target"], JSON.stringify(resource));
  }
  const several = Object.entries({ ...machine, resource: world.url });
  const both = [...several, ["resource", `${world.url}/api/v4`]] as [string, string][];
  assert.equal((await world.call("/oauth/token", { form: both })).status, 200);
  const mixed = [...several, ["resource[]", FOREIGN]] as [string, string][];
  assert.equal((await world.call("/oauth/token", { form: mixed })).json.error, "invalid_target");
});

test("device authorization and polling accept only this service as resource (RFC 8707 §2; RFC 8628 §3.1)", async () => {
  const headers = { authorization: application.basic };
  const begin = (resource: string) =>
    world.call("/oauth/authorize_device", { form: { scope: "read_user", resource }, headers });
  const refused = await begin(FOREIGN);
  assert.deepEqual([refused.status, refused.json.error], [400, "invalid_target"]);
  const begun = await begin(`${world.url}/api/v4`);
  assert.equal(begun.status, 200, begun.text);
  const poll = (resource: string) =>
    tokenCall(
      world,
      {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: begun.json.device_code,
        resource,
      },
      headers,
    );
  assert.equal((await poll(FOREIGN)).json.error, "invalid_target");
  assert.equal((await poll(world.url)).json.error, "authorization_pending");
});

test("the application's events record which resource was requested, at both endpoints (reference oauth C2; decision 0080)", async () => {
  const [one, two] = ["https://one.example/", "https://two.example/"] as const;
  // A new application, because only so many kinds of events are recorded a second.
  const own = await anApplication(world);
  await exchange(world, own, "goc_x", { resource: one });
  await dev.get(authorizePath(own, { resource: two }));
  const told = async (sent: string) => {
    const path = `/api/v4/applications/${own.id}/events?answer=invalid_target&search=${encodeURIComponent(sent)}`;
    return (await world.call(path, { as: "olga" })).json[0];
  };
  const [first, second] = [await told(one), await told(two)];
  assert.deepEqual(
    [first.endpoint, first.reason, second.endpoint, second.reason],
    ["token", `resource: sent ${one}`, "authorize", `resource: sent ${two}`],
  );
});
