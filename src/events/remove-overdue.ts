/** Removes events that their project keeps for fewer days than two years, in batches that keep nobody waiting (decision 0119). */
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { deleteOverdue, listShortProjects } from "./store-partitions.ts";

/** Events per transaction. */
const A_BATCH = 1000;

/** Returns how many were removed. Sums, totals and days are updated as with every delete. */
export async function removeOverdue({ db }: Pick<Platform, "db">): Promise<number> {
  let total = 0;
  for (const { id } of await listShortProjects(db)) {
    total += await inPortions((most) => deleteOverdue(db.pooled, id, most), { portion: A_BATCH });
  }
  return total;
}
