/** Moves a group with everything in it into another group, or to the top level (decision 0140). */
import type { Act } from "../accounts/audit.ts";
import { holdPeople } from "../accounts/hold-people.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { topLevelPathFault } from "../accounts/user.ts";
import type { Db, Queries } from "../platform/db.ts";
import { groupFor } from "./access.ts";
import type { Asker } from "./asker.ts";
import type { Group } from "./group.ts";
import { lockGroup } from "./store-members.ts";
import { findLastingOwners, insertOwner, lockPlaces, updateParent } from "./store-moves.ts";
import { TransferRefused, transferError } from "./transfer-refused.ts";

/**
 * For owners of both groups, checked at the moment of the move. Rights inherited from the groups around it change with the move;
 * a group that becomes top-level without a lasting owner of its own gets the mover as owner. Returns its new path.
 * @param move.parentId null: to the top level
 * @throws Problem not_found: a group that is not visible to them; forbidden: not theirs; invalid: why it cannot be moved there
 */
export async function moveGroup(
  db: Db,
  mover: Asker,
  act: Act,
  { groupId, parentId }: { groupId: number; parentId: number | null },
): Promise<string> {
  try {
    return await db.transaction(async (tx) => {
      const held = await holdPeople(tx, mover, []);
      await lockPlaces(tx);
      const group = await groupFor(tx, held, String(groupId), "owner");
      await checkPlace(tx, held, group, parentId);
      if (parentId === null) await keepOwner(tx, held, groupId);
      const fullPath = await updateParent(tx, groupId, parentId);
      const details = { group: group.fullPath, to: fullPath };
      await recordAudit(tx, { ...act, action: "group_moved", userId: null, details });
      return fullPath;
    });
  } catch (error) {
    throw transferError(error, REFUSALS);
  }
}

async function checkPlace(tx: Queries, mover: Asker, group: Group, parentId: number | null): Promise<void> {
  if (parentId === group.parentId) throw new TransferRefused("the group is there already");
  if (parentId !== null) {
    await groupFor(tx, mover, String(parentId), "owner");
    return;
  }
  if (topLevelPathFault(group.path)) throw new TransferRefused("its path is a reserved name at the top");
}

/** At the top level nobody inherits ownership: the mover becomes owner, unless their own role would end (decision 0165). */
async function keepOwner(tx: Queries, mover: Asker, groupId: number): Promise<void> {
  await lockGroup(tx, groupId);
  const lasting = await findLastingOwners(tx, groupId, mover.id);
  if (lasting.own) return;
  if (!lasting.mover && !mover.isAdmin)
    throw new TransferRefused("at the top it needs an owner whose role has no end");
  await insertOwner(tx, groupId, mover.id);
}

/** The constraints that the database enforces, in words. */
const REFUSALS: Readonly<Record<string, string>> = {
  groups_within_themselves: "a group cannot go into itself or into a group below it",
  groups_within_group: "the group is more visible than the one it would be in",
  namespaces_depth: "groups lie at most 20 levels deep",
  namespaces_full_path_key: "its path is taken there, or leads to another one that had it before",
  projects_full_path_key: "its path is taken there, or leads to another one that had it before",
};
