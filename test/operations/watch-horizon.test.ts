/** What operators see of a transaction of another database that holds up events. */
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { examineDatabase } from "../../src/operations/examine-database.ts";
import { findHeldSeconds } from "../../src/operations/store-event-numbers.ts";
import { noteHorizon } from "../../src/operations/watch-horizon.ts";
import { sql } from "../../src/platform/sql.ts";
import { emptyDatabase } from "../support/database.ts";
import { startWorld } from "../support/world.ts";

test("metrics and the doctor say for how long a transaction of another database has held up events (decision 0317)", async () => {
  const world = await startWorld();
  const { db } = world.platform;
  const metric = async () => {
    const { text } = await world.call("/-/metrics");
    return Number(/^gatehouse_events_held_seconds (\d+)$/m.exec(text)?.[1]);
  };
  const finding = async () =>
    (await examineDatabase(world.platform)).find(({ name }) => name === "event arrivals");
  const other = new pg.Client(await emptyDatabase());
  await other.connect();
  await other.query("begin");
  await other.query("select pg_current_xact_id()");
  await noteHorizon(world.platform);
  await noteHorizon(world.platform);
  assert.ok((await findHeldSeconds(db)) < 60, "it has just been seen");
  assert.equal((await finding())?.state, "ok");
  await world.owner.run(sql`update event_epoch set horizon_at = horizon_at - interval '400 seconds'`);
  await noteHorizon(world.platform);
  assert.ok((await findHeldSeconds(db)) >= 400);
  assert.ok((await metric()) >= 400);
  const { state, text = "" } = (await finding()) ?? {};
  assert.deepEqual([state, /for 6 minutes/.test(text)], ["warn", true], text);
  await other.query("commit");
  await other.end();
  assert.equal(await findHeldSeconds(db), 0);
  assert.equal(await metric(), 0);
  assert.equal((await finding())?.state, "ok");
});
