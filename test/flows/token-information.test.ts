/** Token information over HTTP: what it returns for a valid token, and the same response for every invalid one. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { aCode, anApplication, exchange, signedIn, type TestApplication } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;
let issued: { access_token: string; refresh_token: string; created_at: number };

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
  const dev = await signedIn(world, "dev");
  const code = await aCode(dev, application, { scope: "read_user profile" });
  issued = (await exchange(world, application, code)).json;
});

const INFO = "/oauth/token/info";

test("returns the user, the scopes, the lifetime and the application of a token, with the old and the new member names (spec: GET /oauth/token/info; spec: Token information; spec: Token information expires_in; spec: Token information scopes; spec: Token information expires_in_seconds; spec: Versioning 2)", async () => {
  const { status, json, headers } = await world.call(INFO, { token: issued.access_token });
  assert.equal(status, 200);
  assert.deepEqual(json, {
    resource_owner_id: world.ids.dev,
    scope: ["read_user", "profile"],
    expires_in: json.expires_in,
    application: { uid: application.uid },
    created_at: issued.created_at,
    scopes: ["read_user", "profile"],
    expires_in_seconds: json.expires_in,
  });
  assert.ok(Number.isInteger(json.expires_in) && json.expires_in > 7100 && json.expires_in <= 7200);
  assert.equal(headers.get("cache-control"), "no-store");
});

test("accepts the token in the query, as Bearer in any case, or as PRIVATE-TOKEN (spec: Authentication 5; spec: Authentication 6)", async () => {
  const token = issued.access_token;
  for (const [path, given] of [
    [`${INFO}?access_token=${token}`, {}],
    [INFO, { authorization: `bearer ${token}` }],
    [INFO, { authorization: `BEARER ${token}` }],
    [INFO, { "private-token": token }],
    [`${INFO}?access_token=${token}`, { authorization: `Bearer ${token}` }],
  ] as const) {
    const reply = await world.call(path, { headers: given });
    assert.equal(reply.status, 200, JSON.stringify([path, given]));
  }
});

test("two different tokens in one request are an invalid_request (RFC 6750 §2; contract §4, token/info; reference oauth D67, reliability S47)", async () => {
  const other = await world.tokenOf("gus", "read_user");
  const { status, json, headers } = await world.call(`${INFO}?access_token=${other}`, {
    token: issued.access_token,
  });
  assert.equal(status, 400);
  assert.equal(json.error, "invalid_request");
  assert.equal(headers.get("www-authenticate"), null);
});

test("works for a personal access token too: without an application, and with null if it never expires (contract §4, token/info; spec: Token information expires_in)", async () => {
  const { json } = await world.call(INFO, { token: await world.tokenOf("gus", "read_user") });
  assert.deepEqual(json.application, { uid: null });
  assert.equal(json.resource_owner_id, world.ids.gus);
  assert.equal(json.expires_in, null);
  assert.equal(json.expires_in_seconds, null);
});

test("missing, unknown, expired and revoked tokens and other secrets get the same 401, with an error in the challenge only if a token was sent (RFC 6750 §3.1; contract §4, token/info; reference oauth D68, reliability S47)", async () => {
  const { db } = world.platform;
  const dev = await signedIn(world, "dev");
  const fresh = async () =>
    (await exchange(world, application, await aCode(dev, application))).json.access_token as string;
  const [expired, revoked] = [await fresh(), await fresh()];
  const { digest } = await import("../../src/platform/secret.ts");
  await db.run(sql`update access_tokens set expires_at = now() where digest = ${digest(expired)}`);
  await db.run(sql`update access_tokens set revoked_at = now() where digest = ${digest(revoked)}`);
  const gus = await signedIn(world, "gus");
  const code = await aCode(gus, application);
  const replies = [
    ...(await Promise.all(
      [
        expired,
        revoked,
        code,
        issued.refresh_token,
        application.secret,
        application.uid,
        "goa_x",
        "é",
        " ",
      ].map((token) => world.call(`${INFO}?access_token=${encodeURIComponent(token)}`)),
    )),
  ];
  const missing = [await world.call(INFO), await world.call(`${INFO}?access_token=`)];
  for (const { status, headers, json } of [...missing, ...replies]) {
    assert.equal(status, 401);
    assert.equal(json.error, "invalid_token");
    assert.match(headers.get("www-authenticate") ?? "", /^Bearer realm="Gatehouse"/);
  }
  assert.equal(new Set([...missing, ...replies].map(({ text }) => text)).size, 1);
  const challenges = (of: typeof replies) =>
    new Set(of.map(({ headers }) => headers.get("www-authenticate")));
  assert.deepEqual([...challenges(replies)], ['Bearer realm="Gatehouse", error="invalid_token"']);
  assert.deepEqual(
    [...challenges(missing)],
    ['Bearer realm="Gatehouse"'],
    "no token was sent, so there is no error",
  );
});

test("the token of a blocked user is invalid (contract §4, tokens and roles)", async () => {
  const token = await world.tokenOf("rep", "read_user");
  assert.equal((await world.call(INFO, { token })).status, 200);
  await world.platform.db.run(sql`update users set state = 'blocked' where id = ${world.ids.rep}`);
  assert.equal((await world.call(INFO, { token })).status, 401);
});
