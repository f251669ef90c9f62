/** Removes what projects keep for fewer days than two years, in batches that hold nobody up (decision 0119). */
import type { Platform } from "../platform/platform.ts";
import { deleteOverdue, listShortProjects } from "./store-partitions.ts";

/** Events of one transaction. */
const A_BATCH = 1000;

/** Returns how many were removed. Sums, totals and days follow as with every delete. */
export async function removeOverdue({ db }: Pick<Platform, "db">): Promise<number> {
  let total = 0;
  for (const { id } of await listShortProjects(db)) {
    let removed: number;
    do {
      removed = await deleteOverdue(db.pooled, id, A_BATCH);
      total += removed;
    } while (removed === A_BATCH);
  }
  return total;
}
