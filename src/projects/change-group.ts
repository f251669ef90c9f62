/**
 * Changes name, path, description or visibility of a group; old addresses of the group and of all below it redirect to the new
 * ones.
 */
import type { Act } from "../accounts/audit.ts";
import { nameFault } from "../accounts/name.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { pathFault, topLevelPathFault } from "../accounts/user.ts";
import { changedFields } from "../platform/changed-fields.ts";
import type { Db } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { Group } from "./group.ts";
import type { Visibility } from "./project.ts";
import { updateGroup } from "./store-groups.ts";

export interface GroupEdit {
  name?: string | undefined;
  path?: string | undefined;
  description?: string | undefined;
  visibility?: Visibility | undefined;
}

/**
 * @throws FieldProblem: a path or name that is invalid or taken; more visible than the group around it, or less than what is in
 *   it (decision 0121)
 */
export async function changeGroup(db: Db, act: Act, group: Group, edit: GroupEdit): Promise<void> {
  const change = changedFields(edit, group);
  const { name, path, visibility } = change;
  const faults: Record<string, string[]> = {};
  const pathRule = group.parentId === null ? topLevelPathFault : pathFault;
  const wrongPath = path === undefined ? undefined : pathRule(path);
  const wrongName = name === undefined ? undefined : nameFault(name);
  if (wrongPath) faults.path = [wrongPath];
  if (wrongName) faults.name = [wrongName];
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
  const names = Object.keys(change);
  if (names.length === 0) return;
  const fullPath =
    path === undefined ? undefined : [...group.fullPath.split("/").slice(0, -1), path].join("/");
  const details = {
    group: group.fullPath,
    changed: names.join(", "),
    ...(visibility ? { visibility } : {}),
    ...(fullPath ? { path: fullPath } : {}),
  };
  try {
    await db.transaction(async (tx) => {
      await updateGroup(tx, group.id, { ...change, fullPath });
      await recordAudit(tx, { ...act, action: "group_changed", userId: null, details });
    });
  } catch (error) {
    throw refusalOf(violatedConstraint(error), visibility ?? group.visibility) ?? error;
  }
}

/**
 * The violated constraints of the database, which hold even if group and project change at once, in the words of GitLab's API.
 */
function refusalOf(constraint: string | undefined, visibility: Visibility): FieldProblem | undefined {
  const below = (what: string) =>
    new FieldProblem({ visibility_level: [`${visibility} is not allowed since ${what}.`] });
  switch (constraint) {
    case "groups_around_projects":
      return below("this group contains projects with higher visibility");
    case "groups_around_groups":
      return below("there are sub-groups with higher visibility");
    case "groups_within_group":
      return below("the parent group has a lower visibility");
    case "namespaces_full_path_key":
    case "projects_full_path_key":
      return new FieldProblem({ path: ["has already been taken"] });
    default:
      return undefined;
  }
}
