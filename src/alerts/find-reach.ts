/**
 * Finds the silences, channels and settings that recording the alerts of a transaction's projects must apply, in at most one
 * statement.
 */
import type { Queries } from "../platform/db.ts";
import { noReach, type Reach } from "./reach.ts";
import { newBudget } from "./silence.ts";
import { listReach } from "./store-reach.ts";

/** Returns what these projects have set up; needs no statement without projects. */
export async function findReach(tx: Queries, projectIds: readonly number[]): Promise<Reach> {
  if (projectIds.length === 0) return noReach();
  const found = await listReach(tx, projectIds);
  // The projects share one budget for patterns, so that a batch of many projects costs no more than one of few.
  return {
    projects: new Map(found.map((one) => [one.projectId, { ...one, budget: newBudget(found.length) }])),
  };
}
