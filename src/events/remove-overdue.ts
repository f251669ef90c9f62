/** Removes what projects keep for fewer days than two years, in batches that hold nobody up (decision 0119). */
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { deleteOverdue, listShortProjects } from "./store-partitions.ts";

/** Events of one transaction. */
const A_BATCH = 1000;

/** Returns how many were removed. Sums, totals and days follow as with every delete. */
export async function removeOverdue({ db }: Pick<Platform, "db">): Promise<number> {
  let total = 0;
  for (const { id } of await listShortProjects(db)) {
    total += await inPortions((most) => deleteOverdue(db.pooled, id, most), { portion: A_BATCH });
  }
  return total;
}
