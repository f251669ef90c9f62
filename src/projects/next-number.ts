/** Numbers that count within a project (iid): of alerts and of incidents, without gaps inside one transaction. */
import type { Queries } from "../platform/db.ts";
import { takeNumbers } from "./store-numbers.ts";

/**
 * Takes the next `count` numbers of a kind and returns the first. Concurrent takers wait for each other until the
 * end of their transactions, so take late and commit soon.
 */
export async function nextNumber(
  tx: Queries,
  projectId: number,
  kind: "alert" | "incident",
  count = 1,
): Promise<number> {
  const { last } = await takeNumbers(tx, projectId, kind, count);
  return last - count + 1;
}
