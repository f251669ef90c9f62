/** Adds what writers appended to the counts of events by day and in all (decision 0025). */
import type { Platform } from "../platform/platform.ts";
import { COUNTED_AT_ONCE, compactCounts } from "./store-totals.ts";

/** Totals are exact before, between and after; a long wait makes them slower only. Returns how many rows were waiting. */
export async function compactEventCounts({ db }: Pick<Platform, "db">): Promise<number> {
  let total = 0;
  let taken: number;
  do {
    taken = await compactCounts(db.pooled);
    total += taken;
  } while (taken === COUNTED_AT_ONCE);
  return total;
}
