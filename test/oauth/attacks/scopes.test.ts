/** Attacks on scopes: read tokens that write, tokens that outgrow their application, tokens that make bigger ones. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { SCOPES } from "../../../src/accounts/scope.ts";
import { aPair, apiStatus } from "../../support/attacks.ts";
import { anApplication, hiddenFields, signedIn, tokenCall, type Visitor } from "../../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../../support/world.ts";

let world: World;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
});

interface Operation {
  path: string;
  method: string;
  scopes: readonly string[];
}

async function operations(): Promise<Operation[]> {
  const { json } = await world.call("/openapi.json");
  const paths: Record<string, Record<string, { description?: string }>> = json.paths;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { description = "" }]) => ({
      path,
      method: method.toUpperCase(),
      scopes: /Scopes, any one of: ([a-z_, ]+)\./.exec(description)?.[1]?.split(", ") ?? [],
    })),
  );
}

/** What a token may do although it may write nothing: end itself, ask who its person is, try out conditions, and what takes none (decision 0208). */
const OPEN_TO_READERS = new Set([
  "DELETE /api/v4/personal_access_tokens/self",
  "POST /oauth/userinfo",
  "POST /api/v4/projects/{id}/alert_silences/preview",
  "POST /api/v4/leak_reports",
]);
const READING = ["read_api", "read_user", "profile", "openid", "email"];

test("no route that writes takes a scope that reads, on paper or in fact (reference oauth D65)", async () => {
  const writing = (await operations()).filter(
    ({ method, path }) =>
      method !== "GET" && method !== "HEAD" && (path.startsWith("/api/v4/") || path === "/oauth/userinfo"),
  );
  assert.ok(writing.length > 30, `${writing.length} routes`);
  const open: string[] = [];
  for (const { method, path, scopes } of writing) {
    const name = `${method} ${path}`;
    if (OPEN_TO_READERS.has(name)) continue;
    if (scopes.some((scope) => READING.includes(scope))) open.push(`${name} documents ${scopes}`);
    const address = path.replace(/\{[^}]+\}/g, String(world.rocket.id));
    for (const scope of READING) {
      const token = await world.tokenOf("ada", scope);
      const reply = await world.call(address, { method, token, json: {} });
      if (![403, 404, 405].includes(reply.status))
        open.push(`${name} ${scope} ${reply.status} ${reply.text}`);
    }
  }
  assert.deepEqual(open, []);
});

test("a scope that is only for signing in reads nothing of the API (RFC 6750 §3.1; reference oauth D65)", async () => {
  const reading = (await operations()).filter(
    ({ method, path }) => method === "GET" && path.startsWith("/api/v4/"),
  );
  const open: string[] = [];
  for (const { path, scopes } of reading) {
    if (path === "/api/v4/personal_access_tokens/self" || path.endsWith("/stream")) continue;
    const address = path.replace(/\{[^}]+\}/g, String(world.rocket.id));
    for (const scope of ["openid", "email", "profile", "write_events", "self_rotate"]) {
      if (scopes.includes(scope)) open.push(`${path} documents ${scope}`);
      const token = await world.tokenOf("ada", scope);
      const reply = await world.call(address, { token });
      if (reply.status < 400 && scopes.length > 0) open.push(`${path} ${scope} ${reply.status}`);
    }
  }
  assert.deepEqual(open, []);
});

test("each scope opens the routes that are documented for it, and no other (reference oauth D65; RFC 6750 §3.1)", async () => {
  const wrong: string[] = [];
  let asked = 0;
  for (const { method, path, scopes } of await operations()) {
    if (scopes.length === 0) continue;
    const address = path.replace(/\{[^}]+\}/g, "99999999");
    for (const scope of SCOPES) {
      const opens = scopes.includes(scope);
      // What it opens is not gone through where it would end the token or never end.
      if (opens && (path.includes("/self") || path.endsWith("/stream"))) continue;
      const token = await world.tokenOf("stan", scope);
      const reply = await world.call(address, { method, token, ...(method === "GET" ? {} : { json: {} }) });
      const refused = reply.status === 403 && reply.json?.error === "insufficient_scope";
      if (opens === refused) wrong.push(`${method} ${path} ${scope} ${reply.status}`);
      asked++;
    }
  }
  assert.ok(asked > 800, `${asked} asked`);
  assert.deepEqual(wrong, []);
});

test("what is beyond the application is refused in every flow, and what it loses its tokens lose (reference oauth D63)", async () => {
  const narrow = await anApplication(world, {
    scopes: ["read_user"],
    grantTypes: [
      "authorization_code",
      "refresh_token",
      "password",
      "client_credentials",
      "device_code",
      "implicit",
    ],
  });
  const basic = { authorization: narrow.basic };
  for (const form of [
    { grant_type: "password", username: "dev", password: PASSWORD, scope: "api" },
    { grant_type: "password", username: "dev", password: PASSWORD },
    { grant_type: "password", username: "dev", password: PASSWORD, scope: "read_user openid" },
    { grant_type: "client_credentials", scope: "api" },
    { grant_type: "client_credentials", scope: "read_user api" },
  ]) {
    const reply = await tokenCall(world, form, basic);
    assert.deepEqual([reply.status, reply.json.error], [400, "invalid_scope"], JSON.stringify(form));
  }
  for (const scope of ["api", "read_user api"]) {
    const device = await world.call("/oauth/authorize_device", { form: { scope }, headers: basic });
    assert.equal(device.json.error, "invalid_scope", scope);
  }

  const made = await anApplication(world, { owner: "dev" });
  const { access_token: wide } = await aPair(world, dev, made, { scope: "api" });
  assert.equal(await apiStatus(world, wide), 200);
  const path = `/profile/applications/${made.id}`;
  const form = await dev.get(`${path}/edit`);
  const changed = await dev.post(path, {
    ...hiddenFields(form.text, path),
    name: "Relay",
    redirect_uri: made.redirectUri,
    scopes: "profile",
    grant_types: "authorization_code",
    confidential: "1",
  });
  assert.equal(changed.status, 303, changed.text);
  // Of `api` the profile is left, which opens no route of the API (decision 0029).
  assert.equal(await apiStatus(world, wide), 403);
});

test("malformed scopes are invalid_scope at the token doors too (reference oauth D62, reliability S8)", async () => {
  const application = await anApplication(world, {
    grantTypes: ["password", "client_credentials", "device_code"],
  });
  const basic = { authorization: application.basic };
  for (const scope of [
    ...[
      "root",
      "API",
      "api\0",
      "api\tread_user",
      "api\nread_user",
      "api  read_user",
      " api",
      "api ",
      "api;read_user",
    ],
    ...["x".repeat(10_000), Array(1000).fill("api").join(" ")],
  ]) {
    for (const grant of [
      { grant_type: "password", username: "dev", password: PASSWORD },
      { grant_type: "client_credentials" },
    ]) {
      const reply = await tokenCall(world, { ...grant, scope }, basic);
      assert.deepEqual([reply.status, reply.json.error], [400, "invalid_scope"], scope.slice(0, 40));
    }
    const device = await world.call("/oauth/authorize_device", { form: { scope }, headers: basic });
    assert.deepEqual([device.status, device.json.error], [400, "invalid_scope"], scope.slice(0, 40));
  }
  for (const form of [
    [
      ["grant_type", "client_credentials"],
      ["scope[]", "api"],
    ],
    [
      ["grant_type", "client_credentials"],
      ["scope[a]", "api"],
    ],
    [
      ["grant_type", "client_credentials"],
      ["scope", "api"],
      ["scope", "api"],
    ],
  ] as [string, string][][]) {
    const reply = await world.call("/oauth/token", { form, headers: basic });
    assert.deepEqual([reply.status, reply.json.error], [400, "invalid_request"]);
  }
});

test("no token makes one that may do more than itself (reference oauth D64)", async () => {
  const readers = ["read_api", "read_user", "profile", "openid", "email", "write_events"];
  for (const scope of readers) {
    const token = await world.tokenOf("ada", scope);
    for (const [path, json] of [
      [`/api/v4/users/${world.ids.ada}/personal_access_tokens`, { name: "x", scopes: ["api"] }],
      ["/api/v4/personal_access_tokens/self/rotate", {}],
      ["/api/v4/applications", { name: "x", redirect_uri: "https://a.example", scopes: "api" }],
      [
        "/api/v4/users",
        { username: "x", name: "x", email: "x@example.org", password: PASSWORD, admin: true },
      ],
    ] as const) {
      const reply = await world.call(path, { token, json });
      assert.equal(reply.status, 403, `${scope} ${path}`);
      assert.equal(reply.json.error, "insufficient_scope");
    }
  }
  const own = await world.call(`/api/v4/users/${world.ids.dev}/personal_access_tokens`, {
    as: "dev",
    json: { name: "x", scopes: ["api"] },
  });
  assert.equal(own.status, 403, "and who does not administer makes none by API");
  const forAda = await world.call(`/api/v4/users/${world.ids.ada}/personal_access_tokens`, {
    as: "dev",
    json: { name: "x", scopes: ["api"] },
  });
  assert.equal(forAda.status, 403);
});

test("administration is judged at the use, not at the issue, of a token (reference oauth D64)", async () => {
  const token = await world.tokenOf("ada", "api");
  assert.equal((await world.call("/api/v4/applications", { token })).status, 200);
  const { sql } = await import("../../../src/platform/sql.ts");
  await world.platform.db.run(sql`update users set is_admin = true where id = ${world.ids.max}`);
  await world.platform.db.run(sql`update users set is_admin = false where id = ${world.ids.ada}`);
  assert.equal((await world.call("/api/v4/applications", { token })).status, 403);
  await world.platform.db.run(sql`update users set is_admin = true where id = ${world.ids.ada}`);
});
