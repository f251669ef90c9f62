/** Adds the counts that writers appended to the counts of events by day and in total (decision 0025). */
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { COUNTED_AT_ONCE, compactCounts } from "./store-totals.ts";

/** Totals are exact at any time; a delay only makes them slower to read. Returns how many rows were waiting. */
export function compactEventCounts({ db }: Pick<Platform, "db">): Promise<number> {
  return inPortions((most) => compactCounts(db.pooled, most), { portion: COUNTED_AT_ONCE });
}
