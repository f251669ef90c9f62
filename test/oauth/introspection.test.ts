/** Introspection: what an application learns about its own tokens, and about no others (RFC 7662). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { digest } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import {
  aCode,
  anApplication,
  exchange,
  refresh,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
  dev = await signedIn(world, "dev");
});

const ask = (by: TestApplication, token: string, more: Record<string, string> = {}) =>
  world.call("/oauth/introspect", { form: { token, ...more }, headers: { authorization: by.basic } });

test("tokens whose scopes the application has lost are inactive, as at token info and the API (decision 0029)", async () => {
  const narrow = await anApplication(world, { scopes: ["read_user"] });
  const { json } = await exchange(world, narrow, await aCode(dev, narrow, { scope: "read_user" }));
  const tokens = [json.access_token, json.refresh_token];
  for (const token of tokens) assert.equal((await ask(narrow, token)).json.active, true);
  await world.platform.db.run(
    sql`update applications set scopes = ${["write_events"]} where id = ${narrow.id}`,
  );
  for (const token of tokens) assert.deepEqual((await ask(narrow, token)).json, { active: false });
  assert.equal((await world.call("/oauth/token/info", { token: json.access_token })).status, 401);
  assert.equal((await world.call("/api/v4/user", { token: json.access_token })).status, 401);
});

test("introspection of an access token returns scope, person and times, consistent with token info (RFC 7662 §2.2)", async () => {
  const { json } = await exchange(
    world,
    application,
    await aCode(dev, application, { scope: "read_user profile" }),
  );
  const { status, json: told, headers } = await ask(application, json.access_token);
  assert.equal(status, 200);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.deepEqual(told, {
    active: true,
    scope: "read_user profile",
    client_id: application.uid,
    username: "dev",
    token_type: "bearer",
    exp: json.created_at + json.expires_in,
    iat: json.created_at,
    sub: String(world.ids.dev),
    iss: world.url,
    jti: digest(json.access_token).toString("base64url"),
  });
  const info = await world.call("/oauth/token/info", { token: json.access_token });
  assert.equal(String(info.json.resource_owner_id), told.sub);
  assert.equal(info.json.scope.join(" "), told.scope);
  assert.equal(info.json.created_at, told.iat);
});

test("every token has a unique and stable jti, which is not usable as a token (RFC 7662 §2.2; reference oauth A7)", async () => {
  const { json } = await exchange(world, application, await aCode(dev, application));
  const tokens = [json.access_token, json.refresh_token];
  const nameOf = async (token: string): Promise<string> => (await ask(application, token)).json.jti;
  const names = await Promise.all(tokens.map(nameOf));
  assert.deepEqual(await Promise.all(tokens.map(nameOf)), names);
  assert.equal(new Set(names).size, 2);
  for (const name of names) {
    assert.match(name, /^[\w-]{43}$/);
    assert.ok(!tokens.some((token) => token.includes(name)));
    assert.equal((await world.call("/api/v4/user", { token: name })).status, 401);
    assert.deepEqual((await ask(application, name)).json, { active: false });
  }
});

test("a refresh token is active without token_type and exp, also after its access token expired, until it is spent or expires (RFC 7662 §2.2; D75)", async () => {
  const { json } = await exchange(world, application, await aCode(dev, application));
  const { db } = world.platform;
  await db.run(
    sql`update access_tokens set expires_at = now() - interval '1 second' where user_id = ${world.ids.dev}`,
  );
  assert.deepEqual((await ask(application, json.access_token)).json, { active: false });
  const told = (await ask(application, json.refresh_token, { token_type_hint: "access_token" })).json;
  assert.equal(told.active, true);
  assert.equal("exp" in told || "token_type" in told, false);
  const { json: next } = await refresh(world, application, json.refresh_token);
  assert.deepEqual((await ask(application, json.refresh_token)).json, { active: false });
  assert.equal((await ask(application, next.refresh_token)).json.active, true);
  await db.run(
    sql`update refresh_tokens set expires_at = now() where digest = ${digest(next.refresh_token)}`,
  );
  assert.deepEqual((await ask(application, next.refresh_token)).json, { active: false });
});

test("unknown and revoked tokens, personal access tokens and strings that are no token are just inactive (RFC 7662 §2.2; D74)", async () => {
  const { json } = await exchange(world, application, await aCode(dev, application));
  await world.call("/oauth/revoke", {
    form: { token: json.access_token },
    headers: { authorization: application.basic },
  });
  const personal = await world.tokenOf("dev", "api");
  for (const token of [
    json.access_token,
    json.refresh_token,
    personal,
    "x",
    "\0",
    "goa_x",
    application.secret,
  ]) {
    const reply = await ask(application, token);
    assert.equal(reply.status, 200, token);
    assert.deepEqual(reply.json, { active: false }, token);
  }
});

test("introspecting a token of another application gets 403 and leaves the token active (contract §4, introspect; D72)", async () => {
  const other = await anApplication(world);
  const { json } = await exchange(world, application, await aCode(dev, application));
  for (const token of [json.access_token, json.refresh_token]) {
    const reply = await ask(other, token);
    assert.equal(reply.status, 403);
    assert.equal(reply.json.error, "unauthorized_client");
    assert.equal((await ask(application, token)).json.active, true);
  }
});

test("without client authentication, and with a bearer token instead, introspection answers 401 invalid_client (RFC 7662 §2.1; D31, D74)", async () => {
  const { json } = await exchange(world, application, await aCode(dev, application));
  const token = json.access_token;
  const open = await anApplication(world, { confidential: false });
  const byIdAlone = `Basic ${Buffer.from(`${open.uid}:`).toString("base64")}`;
  for (const [form, headers] of [
    [{}, {}],
    [{ client_id: open.uid }, {}],
    [{}, { authorization: byIdAlone }],
    [{ client_id: application.uid }, {}],
    [{ client_id: application.uid, client_secret: "wrong" }, {}],
    [{}, { authorization: `Bearer ${token}` }],
  ] as [Record<string, string>, Record<string, string>][]) {
    const reply = await world.call("/oauth/introspect", { form: { token, ...form }, headers });
    assert.equal(reply.status, 401, JSON.stringify(form));
    assert.equal(reply.json.error, "invalid_client");
    assert.match(reply.headers.get("www-authenticate") ?? "", /^Basic /);
  }
  const missing = await world.call("/oauth/introspect", {
    form: {},
    headers: { authorization: application.basic },
  });
  assert.equal(missing.status, 400);
  assert.equal(missing.json.error, "invalid_request");
});

test("tokens of a blocked person are inactive at once (spec: Authentication 6)", async () => {
  const gus = await signedIn(world, "gus");
  const { json } = await exchange(world, application, await aCode(gus, application));
  await world.call(`/api/v4/users/${world.ids.gus}/block`, { as: "ada", method: "POST" });
  for (const token of [json.access_token, json.refresh_token]) {
    assert.deepEqual((await ask(application, token)).json, { active: false });
  }
});
