/** Listeners are woken for as long as an id that was allotted may still be committed. */
import { test } from "node:test";
import { recordEvents } from "../../src/events/record.ts";
import { watchArrivals } from "../../src/events/watch-arrivals.ts";
import { push } from "../support/events.ts";
import { until } from "../support/until.ts";
import { startWorld } from "../support/world.ts";

test("a listener is woken until the transaction that writes an event has ended, even if no other transaction ends in the meantime (decisions 0026, 0027)", async () => {
  const world = await startWorld();
  let woken = 0;
  const stop = watchArrivals(world.platform).add(() => {
    woken++;
  });
  await until(async () => woken > 0);
  await world.platform.db.transaction(async (tx) => {
    await recordEvents(tx, [{ ...push, projectId: world.open.id, authorId: world.ids.dev }], 0);
    // Two queries see a new id; the others wait for the transaction.
    const before = woken;
    await until(async () => woken >= before + 5);
  });
  stop();
});
