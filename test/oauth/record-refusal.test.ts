/** Limits on how many refusals are recorded and explained at a time. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { explainInBackground, flushRefusals, recordRefusal } from "../../src/oauth/record-refusal.ts";
import { anApplication, type TestApplication } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const told = async (of: TestApplication) =>
  Number((await world.call(`/api/v4/applications/${of.id}/events`, { as: "olga" })).headers.get("x-total"));

test("60 kinds of refusals a second are recorded for an application, and 1,000 for the instance (decision 0080)", async () => {
  const [other, late] = [await anApplication(world), await anApplication(world)];
  const refusedFrom = (applicationId: number, n: number) =>
    recordRefusal(world.platform, {
      applicationId,
      endpoint: "token",
      grantType: "password",
      answer: "invalid_client",
      reason: "wrong",
      requestId: "r",
      network: `10.0.${n}.0/24`,
      userId: null,
    });
  for (let n = 0; n < 100; n++) refusedFrom(other.id, n);
  assert.equal(await told(other), 60);
  for (let gone = 1; gone <= 17; gone++) for (let n = 0; n < 60; n++) refusedFrom(-gone, n);
  refusedFrom(late.id, 1);
  assert.equal(await told(late), 0, "no room in this second");
  refusedFrom(late.id, 1);
  assert.equal(await told(late), 1, "room in the next");
});

test("twenty refusals are explained at a time, ten of one network, and further ones are dropped until these are done (decision 0080)", async () => {
  const { platform } = world;
  let go = () => {};
  const held = new Promise<void>((done) => {
    go = done;
  });
  let begun = 0;
  const refusedFrom = (network: string, times: number) => {
    for (let n = 0; n < times; n++) {
      explainInBackground(platform, network, () => {
        begun++;
        return held;
      });
    }
    return begun;
  };
  assert.deepEqual([refusedFrom("10.0.0.0/24", 15), refusedFrom("10.0.1.0/24", 5)], [10, 15]);
  assert.deepEqual([refusedFrom("10.0.2.0/24", 9), refusedFrom("10.0.3.0/24", 1)], [20, 20]);
  go();
  await flushRefusals(platform);
  assert.equal(refusedFrom("10.0.0.0/24", 1), 21);
  await flushRefusals(platform);
});
