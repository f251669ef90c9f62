/** Reads the level of a person at the moment of a change, so that nobody gives what they no longer have (decision 0302). */
import { holdPeople } from "../accounts/hold-people.ts";
import type { Queries } from "../platform/db.ts";
import { visibleGroup, visibleProject } from "./access.ts";
import type { Asker } from "./asker.ts";
import type { MemberPlace, MemberSource } from "./member.ts";
import { lockGroup, lockMemberships } from "./store-members.ts";
import { shareLockOfPlaces } from "./store-moves.ts";

/** Who makes a change, by the id: whether they are an administrator is read from their row while it is locked. */
export function actorOf(id: number): Asker {
  return { id, isAdmin: true, changes: true };
}

/**
 * Returns the place with the actor's current level, which stays true until the commit: whoever removes or demotes them, moves
 * the place or withdraws the role of administrators waits, or came first. Must be called first in the transaction.
 *
 * The order prevents deadlocks: people as in the removal of an account, then the lock of moves, then the group, then memberships.
 * @param userIds whose memberships of the place will be changed
 * @throws Problem not_found: no longer visible to them; forbidden: blocked or removed, or the place takes no changes any more
 */
export async function holdLevel(
  tx: Queries,
  actor: Asker,
  source: MemberSource,
  userIds: readonly number[],
): Promise<MemberPlace> {
  const now = await holdPeople(tx, actor, userIds);
  await shareLockOfPlaces(tx);
  if (source.namespaceId !== undefined) await lockGroup(tx, source.namespaceId);
  await lockMemberships(tx, source, actor.id, userIds);
  const { access } =
    source.namespaceId === undefined
      ? await visibleProject(tx, now, String(source.projectId))
      : await visibleGroup(tx, now, String(source.namespaceId));
  return { source, access };
}
