/** The look at what arrives: whoever listens is woken for as long as a number that was given out may still commit. */
import { test } from "node:test";
import { recordEvents } from "../../src/events/record.ts";
import { watchArrivals } from "../../src/events/watch-arrivals.ts";
import { push } from "../support/events.ts";
import { until } from "../support/until.ts";
import { startWorld } from "../support/world.ts";

test("who listens is woken until the transaction that writes an event is over, also if no other ends meanwhile (decisions 0026, 0027)", async () => {
  const world = await startWorld();
  let woken = 0;
  const stop = watchArrivals(world.platform).add(() => {
    woken++;
  });
  await until(async () => woken > 0);
  await world.platform.db.transaction(async (tx) => {
    await recordEvents(tx, [{ ...push, projectId: world.open.id, authorId: world.ids.dev }], 0);
    // Two looks find the number new; the others wait for the transaction.
    const before = woken;
    await until(async () => woken >= before + 5);
  });
  stop();
});
