/** The recorded reason of a refused grant is the one that caused it, whatever else has changed since. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
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
let dev: Visitor;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
});

const newestReason = async ({ id }: TestApplication): Promise<string> =>
  (await world.call(`/api/v4/applications/${id}/events`, { as: "olga" })).json[0].reason;

const grantedProfile = async (application: TestApplication) =>
  (await exchange(world, application, await aCode(dev, application, { scope: "profile" }))).json;

/** Replaces the registered scopes by another one. */
const leaves = (application: TestApplication, scope: string) =>
  world.platform.db.run(sql`update applications set scopes = ${[scope]} where id = ${application.id}`);

test("a scope that was not granted is recorded differently from one that is not registered (decision 0080; RFC 6749 §6)", async () => {
  const application = await anApplication(world);
  const { refresh_token: token } = await grantedProfile(application);
  assert.equal((await refresh(world, application, token, { scope: "api" })).json.error, "invalid_scope");
  assert.equal(
    await newestReason(application),
    "scope: sent “api”; more than the authorization of the refresh_token has",
  );
  await refresh(world, application, token, { scope: "nonsense" });
  assert.match(await newestReason(application), /sent “nonsense”; the application is registered for api/);
});

test("a repeated refresh whose scopes are no longer allowed is recorded as that, and not as a repeat with another scope (decision 0080)", async () => {
  const application = await anApplication(world);
  const { refresh_token: token } = await grantedProfile(application);
  assert.equal((await refresh(world, application, token)).status, 200);
  await leaves(application, "openid");
  assert.equal((await refresh(world, application, token)).json.error, "invalid_grant");
  assert.equal(await newestReason(application), "refresh_token: its scope is not allowed any more");
  await refresh(world, application, token, { scope: "profile" });
  assert.equal(await newestReason(application), "refresh_token: repeated with another scope");
});
