import assert from "node:assert/strict";
import { before, test } from "node:test";
import { findSettledHorizon } from "../../src/events/settled-horizon.ts";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const settled = async () => {
  const { number } = await world.platform.db.one(
    row({ number: text }),
    sql`select settled::text as number from event_epoch`,
  );
  return BigInt(number);
};

test("a settled number from another epoch of the database is ignored, and reset when the next epoch begins (decisions 0026, 0108)", async () => {
  const { db } = world.platform;
  await db.run(sql`update event_epoch set settled = '999999999'`);
  const { horizon, settled: known } = await findSettledHorizon(db);
  assert.ok(BigInt(horizon) < 999999999n);
  assert.equal(known, "0");
  await db.run(sql`select begin_event_epoch()`);
  assert.equal(await settled(), 0n);
  await findSettledHorizon(db);
  assert.ok((await settled()) >= BigInt(horizon));
});
