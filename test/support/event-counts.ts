/** Compares the stored counts of events with a recount. */
import assert from "node:assert/strict";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { sql } from "../../src/platform/sql.ts";
import { eventCounts } from "./events.ts";
import type { World } from "./world.ts";

/** Checks that counts, sums and days are what a recount gives. */
export async function countsAreExact(world: Pick<World, "platform" | "owner">): Promise<void> {
  await compactEventCounts(world.platform);
  const kept = await eventCounts(world);
  await world.owner.run(sql`select rebuild_event_rollups()`);
  assert.equal(await eventCounts(world), kept, "rebuilt counts match");
}
