import assert from "node:assert/strict";
import { before, test } from "node:test";
import { findSettings, lockSettings, updateSettings } from "../../src/alerts/store-settings.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

test("a project without a settings row has the defaults of a new row (contract-alerts, project settings)", async () => {
  await world.platform.db.transaction(async (tx) => {
    const unsaid = await findSettings(tx, world.rocket.id);
    assert.equal(await updateSettings(tx, world.rocket.id, unsaid), 0, "a row exists already");
    await lockSettings(tx, world.rocket.id);
    assert.deepEqual(await findSettings(tx, world.rocket.id), unsaid);
  });
});
