/** Adds what writers appended to the counts of events by day and in all (decision 0025). */
import type { Platform } from "../platform/platform.ts";
import { compactCounts } from "./store-totals.ts";

/** Totals are exact before and after; a long wait makes them slower only. Returns how many rows were waiting. */
export function compactEventCounts({ db }: Pick<Platform, "db">): Promise<number> {
  return compactCounts(db.pooled);
}
