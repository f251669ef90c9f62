/**
 * Changes name, path, description or visibility of a group; old addresses of the group and of all below it redirect to the new
 * ones.
 */
import type { Act } from "../accounts/audit.ts";
import { holdPeople } from "../accounts/hold-people.ts";
import { nameFault } from "../accounts/name.ts";
import type { Visibility } from "../accounts/namespace.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { pathFault, topLevelPathFault } from "../accounts/user.ts";
import { changedFields } from "../platform/changed-fields.ts";
import type { Db } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import { checkFaults, FieldProblem } from "../platform/problem.ts";
import { groupFor } from "./access.ts";
import type { Asker } from "./asker.ts";
import type { Group } from "./group.ts";
import { updateGroup } from "./store-groups.ts";
import { lockPlaces } from "./store-moves.ts";

export interface GroupEdit {
  name?: string | undefined;
  path?: string | undefined;
  description?: string | undefined;
  visibility?: Visibility | undefined;
}

/**
 * For owners, checked at the moment of the change, when it is certain in which group it is: another one may have been given to it
 * since it was looked up.
 * @throws FieldProblem: a path or name that is invalid or taken; more visible than the group around it, or less than what is in
 *   it (decision 0121); Problem not_found, forbidden: as `groupFor`
 */
export async function changeGroup(
  db: Db,
  owner: Asker,
  act: Act,
  groupId: number,
  edit: GroupEdit,
): Promise<void> {
  await db.transaction(async (tx) => {
    const held = await holdPeople(tx, owner, []);
    await lockPlaces(tx);
    const group = await groupFor(tx, held, String(groupId), "owner");
    const change = changedFields(edit, group);
    checkNames(group, change);
    const names = Object.keys(change);
    if (names.length === 0) return;
    const { path, visibility } = change;
    const fullPath =
      path === undefined ? undefined : [...group.fullPath.split("/").slice(0, -1), path].join("/");
    const details = {
      group: group.fullPath,
      changed: names.join(", "),
      ...(visibility ? { visibility } : {}),
      ...(fullPath ? { path: fullPath } : {}),
    };
    await updateGroup(tx, group.id, { ...change, fullPath }).catch((error) => {
      throw refusalOf(violatedConstraint(error), visibility ?? group.visibility) ?? error;
    });
    await recordAudit(tx, { ...act, action: "group_changed", userId: null, details });
  });
}

function checkNames({ parentId }: Group, { name, path }: GroupEdit): void {
  const pathRule = parentId === null ? topLevelPathFault : pathFault;
  checkFaults({
    path: path === undefined ? undefined : pathRule(path),
    name: name === undefined ? undefined : nameFault(name),
  });
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
