/** Creates a project if the asker may create one in that namespace, and records the event. */
import { holdPeople } from "../accounts/hold-people.ts";
import type { Namespace } from "../accounts/namespace.ts";
import type { Db, Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { checkWritable } from "./access.ts";
import { type Asker, readerOf } from "./asker.ts";
import { createProject, type ProjectFields } from "./create-project.ts";
import type { RecordHappenings } from "./happenings.ts";
import { holdLevel } from "./hold-level.ts";
import { isAtLeast } from "./role.ts";
import { findVisibleGroup } from "./store-groups.ts";

/**
 * In one's own namespace, or in a group as a Developer or above at that moment (the default of the GitLab v4 API; decision 0302);
 * returns the id.
 * @throws Problem not_found: a namespace that is not visible to this person; forbidden, also if it is archived or marked for
 *   deletion; FieldProblem
 */
export async function addProject(
  db: Db,
  record: RecordHappenings,
  maker: Asker,
  fields: ProjectFields,
): Promise<number> {
  const { namespace } = fields;
  await checkMayAdd(db, maker, namespace);
  return db.transaction(async (tx) => {
    if (namespace.kind === "group") {
      // As a reader: if the group is being archived, what is made in it is archived with it (decision 0153).
      const { access } = await holdLevel(tx, readerOf(maker), { namespaceId: namespace.id }, []);
      if (!isAtLeast(access, "developer")) throw new Problem("forbidden", "403 Forbidden");
    }
    // Only administrators create in somebody else's namespace.
    else if (namespace.ownerId !== maker.id)
      await checkMayAdd(tx, await holdPeople(tx, maker, []), namespace);
    const projectId = await createProject(tx, maker.id, fields);
    await record(tx, [{ kind: "created", projectId, userId: maker.id }]);
    return projectId;
  });
}

async function checkMayAdd(db: Queries, maker: Asker, namespace: Namespace): Promise<void> {
  if (namespace.ownerId === maker.id || (maker.isAdmin && namespace.kind === "user")) return;
  const group = await findVisibleGroup(db, maker, String(namespace.id));
  if (!group) throw new Problem("not_found", "404 Namespace Not Found");
  checkWritable("group", group);
  if (!isAtLeast(group.access, "developer")) throw new Problem("forbidden", "403 Forbidden");
}
