/** Locks people at the beginning of a change that relies on the rights of one of them (decision 0302). */
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { lockRights } from "./store-actors.ts";

/**
 * Locks the actor and the others until the commit, and returns the actor with the rights that they have now: an administrator
 * may have lost the role since the request was read. Must be called first in the transaction: the removal of an account locks
 * the person before their memberships.
 * @throws Problem forbidden: blocked, or removed
 */
export async function holdPeople<P extends { id: number; isAdmin: boolean }>(
  tx: Queries,
  actor: P,
  others: readonly number[],
): Promise<P> {
  const held = await lockRights(tx, [actor.id, ...others]);
  const now = held.find(({ id }) => id === actor.id);
  if (now?.state !== "active") throw new Problem("forbidden", "403 Forbidden");
  return { ...actor, isAdmin: actor.isAdmin && now.isAdmin };
}
