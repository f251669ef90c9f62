/** The password flow over HTTP: the token it returns, and the uniform response to all failures. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { countedLogin } from "../support/failures.ts";
import { anApplication, type TestApplication, tokenCall } from "../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
});

function byPassword(form: Record<string, string | undefined>, made = application) {
  const asked = { grant_type: "password", username: "dev", password: PASSWORD, ...form };
  return tokenCall(world, asked, { authorization: made.basic });
}

test("the application authenticates with HTTP Basic and gets a token with scope api and no refresh token (RFC 6749 §4.3; spec: POST /oauth/token password 1; spec: POST /oauth/token password 4; spec: POST /oauth/token password 5; spec: POST /oauth/token password 6; spec: Authentication 4; spec: Token response refresh_token)", async () => {
  const { status, json, headers } = await byPassword({});
  assert.equal(status, 200);
  assert.equal(json.token_type, "bearer");
  assert.equal(json.expires_in, 7200);
  assert.equal(json.scope, "api");
  assert.equal("refresh_token" in json, false);
  assert.equal(headers.get("cache-control"), "no-store");
  const me = await world.call("/api/v4/user", { token: json.access_token });
  assert.equal(me.json.username, "dev");
});

test("a scope can be requested among those of the application (RFC 6749 §3.3; spec: Authentication 7; spec: Application 2)", async () => {
  assert.equal((await byPassword({ scope: "read_user profile" })).json.scope, "read_user profile");
  const narrow = await anApplication(world, { scopes: ["read_user"] });
  for (const scope of [
    undefined,
    "api",
    "sudo",
    "read_user  profile",
    "read_user\tprofile",
    "x".repeat(5000),
  ]) {
    const refused = await byPassword({ scope }, narrow);
    assert.equal(refused.status, 400);
    assert.equal(refused.json.error, "invalid_scope");
  }
});

test("all failures that concern the user get the same response (contract §4, password flow; spec: POST /oauth/token password 2; spec: POST /oauth/token password 3; spec: POST /oauth/token password 7; spec: Errors 1; reference oauth D51, reliability S33, S34, S36)", async () => {
  const { db } = world.platform;
  await db.run(
    sql`update users set totp_sealed = 'x', totp_confirmed_at = now() where id = ${world.ids.max}`,
  );
  await db.run(sql`update users set state = 'blocked' where id = ${world.ids.stan}`);
  // As after many failures: locked for minutes, however slow the machine is.
  await db.run(
    sql`insert into sign_in_failures (login, network)
      select ${countedLogin("gus")}::text, network from generate_series(1, 20), unnest(${["127.0.0.0/24", "0:0:0:0::/64"]}::text[]) as network`,
  );
  const refusals = {
    wrong: await byPassword({ password: "wrong" }),
    unknown: await byPassword({ username: "nobody" }),
    "two-factor": await byPassword({ username: "max" }),
    blocked: await byPassword({ username: "stan" }),
    locked: await byPassword({ username: "gus" }),
    "no username": await byPassword({ username: undefined }),
    "no password": await byPassword({ password: undefined }),
    "long password": await byPassword({ password: "x".repeat(2000) }),
    "long username": await byPassword({ username: "x".repeat(2000) }),
    NUL: await byPassword({ username: "dev\0" }),
  };
  const bodies = new Set(Object.values(refusals).map(({ text }) => text));
  for (const [why, { status, json, headers }] of Object.entries(refusals)) {
    assert.equal(status, 400, why);
    assert.equal(json.error, "invalid_grant", why);
    assert.equal(headers.get("www-authenticate"), null, why);
  }
  assert.equal(bodies.size, 1);
});

test("the right password of a user with two-factor sign-in counts as a failed attempt, so that nothing reveals that it was right (reference oauth D54)", async () => {
  const login = "max";
  await world.platform.db.run(sql`delete from sign_in_failures`);
  for (let tries = 0; tries < 5; tries++) await byPassword({ username: login });
  const { row, integer } = await import("../../src/platform/row.ts");
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from sign_in_failures where login = ${countedLogin(login)}`,
  );
  assert.equal(n, 5);
});

test("the application must be allowed to use the flow and must authenticate (RFC 6749 §5.2; contract §4, flows; reference oauth D55)", async () => {
  const without = await anApplication(world, { grantTypes: ["authorization_code"] });
  const refused = await byPassword({}, without);
  assert.equal(refused.status, 400);
  assert.equal(refused.json.error, "unauthorized_client");
  const unproven = await byPassword({}, { ...application, basic: `Basic ${btoa(`${application.uid}:`)}` });
  assert.equal(unproven.status, 401);
  assert.equal(unproven.json.error, "invalid_client");
});
