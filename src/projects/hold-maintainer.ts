/** Checks at the moment of a change that whoever makes it still maintains the project (decision 0302). */
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { holdLevel } from "./hold-level.ts";
import { isAtLeast } from "./role.ts";

/**
 * Must be called first in the transaction: its locks are those of `holdLevel`.
 * @param actorId null: the service itself or the console, which have no role
 * @throws Problem not_found, forbidden: as `holdLevel`, or the role is too low by now
 */
export async function holdMaintainer(tx: Queries, actorId: number | null, projectId: number): Promise<void> {
  if (actorId === null) return;
  // Who is no administrator when the locks are held is none: the row of the user decides.
  const actor = { id: actorId, isAdmin: true, changes: true };
  const { access } = await holdLevel(tx, actor, { projectId }, []);
  if (!isAtLeast(access, "maintainer")) throw new Problem("forbidden", "403 Forbidden");
}
