/** Finds the silences, channels and rules that the projects of a transaction have set up, in one statement or none. */
import type { Queries } from "../platform/db.ts";
import { noReach, type Reach } from "./reach.ts";
import { newBudget } from "./silence.ts";
import { listReach } from "./store-reach.ts";

/** Reads it once for all of these projects; without any there is nothing to read. */
export async function findReach(tx: Queries, projectIds: readonly number[]): Promise<Reach> {
  if (projectIds.length === 0) return noReach();
  const found = await listReach(tx, projectIds);
  // Each has its share and no more, so that a transaction looks at as much as ever.
  return {
    projects: new Map(found.map((one) => [one.projectId, { ...one, budget: newBudget(found.length) }])),
  };
}
