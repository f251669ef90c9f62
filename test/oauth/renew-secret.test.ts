/** A client secret and its successor: two are valid, however often it is renewed. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { listValidSecrets } from "../../src/oauth/store-applications.ts";
import { countOf } from "../../src/platform/count-of.ts";
import { sql } from "../../src/platform/sql.ts";
import { anApplication, type TestApplication, tokenCall } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

const DAY = 86_400;

let world: World;
let application: TestApplication;
let renew: (grace_seconds: number) => Promise<string>;
before(async () => {
  world = await startWorld();
  application = await anApplication(world, { owner: null });
  renew = async (grace_seconds) => {
    const path = `/api/v4/applications/${application.id}/renew-secret`;
    const { status, json } = await world.call(path, { as: "ada", json: { grace_seconds } });
    assert.equal(status, 200);
    return json.secret;
  };
});

/** Whether client authentication with the secret succeeds. */
const opens = async (secret: string) => {
  const client = { client_id: application.uid, client_secret: secret };
  return (await tokenCall(world, { grant_type: "refresh_token", ...client })).status !== 401;
};
const valid = async (secrets: readonly string[]) => {
  const found = [];
  for (const [index, secret] of secrets.entries()) if (await opens(secret)) found.push(index);
  return found;
};
const stored = () =>
  countOf(
    world.platform.db,
    sql`select count(*) as n from application_secrets where application_id = ${application.id}`,
  );

test("after three renewals with a grace period the two newest secrets are valid, and nothing of the others is kept (reference reliability, client secret)", async () => {
  const secrets = [application.secret];
  for (const expected of [
    [0, 1],
    [1, 2],
    [2, 3],
  ]) {
    secrets.push(await renew(DAY));
    assert.deepEqual(await valid(secrets), expected);
    assert.equal((await listValidSecrets(world.platform.db, application.id)).length, 2);
    assert.equal(await stored(), 2);
  }
  secrets.push(await renew(0));
  assert.deepEqual(await valid(secrets), [4], "a renewal without a grace period ends both");
  secrets.push(await renew(DAY));
  assert.deepEqual(await valid(secrets), [4, 5], "what has ended is not revived");
});
