/** Moves a project into another group or into a user's own namespace (decision 0140). */
import type { Act } from "../accounts/audit.ts";
import { holdPeople } from "../accounts/hold-people.ts";
import type { Namespace } from "../accounts/namespace.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { namespaceFor } from "../accounts/set-plan.ts";
import type { Db, Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { checkWritable, projectFor } from "./access.ts";
import type { Asker } from "./asker.ts";
import { isAtLeast } from "./role.ts";
import { findVisibleGroup } from "./store-groups.ts";
import { lockPlacesAndCounts, updateNamespaceOfProject } from "./store-moves.ts";
import { TransferRefused, transferError } from "./transfer-refused.ts";

/**
 * For owners of both, checked at the moment of the move. Its id, keys and settings stay, its old address redirects, and whoever
 * had a role through the old namespace loses it. Returns its new path.
 * @param reference the id or path of the namespace
 * @throws Problem not_found: a project or namespace that is not visible to them; forbidden: not theirs; invalid: why it cannot be
 *   moved there
 */
export async function moveProject(
  db: Db,
  mover: Asker,
  act: Act,
  projectId: number,
  reference: number | string,
): Promise<string> {
  try {
    return await db.transaction(async (tx) => {
      const held = await holdPeople(tx, mover, []);
      await lockPlacesAndCounts(tx);
      const project = await projectFor(tx, held, String(projectId), "owner");
      const namespace = await namespaceFor(tx, reference);
      await checkOwns(tx, held, namespace);
      if (namespace.id === project.namespaceId) throw new TransferRefused("the project is there already");
      const fullPath = await updateNamespaceOfProject(tx, projectId, namespace.id);
      const details = { project: project.fullPath, to: fullPath };
      await recordAudit(tx, { ...act, action: "project_moved", userId: null, details });
      return fullPath;
    });
  } catch (error) {
    throw transferError(error, REFUSALS);
  }
}

/** @throws Problem not_found, forbidden */
async function checkOwns(tx: Queries, mover: Asker, namespace: Namespace): Promise<void> {
  if (namespace.kind === "user") {
    if (mover.isAdmin || namespace.ownerId === mover.id) return;
    throw new Problem("forbidden", "403 Forbidden");
  }
  const group = await findVisibleGroup(tx, mover, String(namespace.id));
  if (!group) throw new Problem("not_found", "404 Namespace Not Found");
  if (!isAtLeast(group.access, "owner")) throw new Problem("forbidden", "403 Forbidden");
  checkWritable("group", group);
}

const REFUSALS: Readonly<Record<string, string>> = {
  projects_within_group: "the project is more visible than the group it would be in",
  projects_full_path_key: "its path is taken there",
};
