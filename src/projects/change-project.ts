/** Changes a project's name, path, description, visibility or default branch; its old address redirects to the new one. */
import type { Act } from "../accounts/audit.ts";
import { nameFault } from "../accounts/name.ts";
import type { Visibility } from "../accounts/namespace.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { changedFields } from "../platform/changed-fields.ts";
import type { Db } from "../platform/db.ts";
import { checkFaults } from "../platform/problem.ts";
import { projectPathFault, projectRefusal, visibilityFault } from "./create-project.ts";
import { holdMaintainer } from "./hold-role.ts";
import type { Project } from "./project.ts";
import { updateProject } from "./store.ts";

export interface ProjectEdit {
  name?: string | undefined;
  path?: string | undefined;
  description?: string | undefined;
  visibility?: Visibility | undefined;
  defaultBranch?: string | undefined;
}

/**
 * For Maintainers, checked again at the moment of the change (decision 0302).
 * @throws FieldProblem: a path or name that is invalid or taken, or more visible than its group; Problem not_found, forbidden:
 *   as `holdMaintainer`
 */
export async function changeProject(
  db: Db,
  act: Act,
  project: Project,
  namespaceVisibility: Visibility,
  edit: ProjectEdit,
): Promise<void> {
  const change = changedFields(edit, project);
  const { path, name, visibility, defaultBranch } = change;
  checkFaults({
    path: path === undefined ? undefined : projectPathFault(path),
    name: name === undefined ? undefined : nameFault(name),
    visibility_level: visibility && visibilityFault(visibility, namespaceVisibility),
    default_branch: defaultBranch === undefined ? undefined : branchFault(defaultBranch),
  });
  const names = Object.keys(change);
  if (names.length === 0) return;
  const fullPath = path === undefined ? undefined : `${project.namespaceFullPath}/${path}`;
  const details = {
    project: project.fullPath,
    changed: names.join(", "),
    ...(visibility ? { visibility } : {}),
    ...(fullPath ? { path: fullPath } : {}),
  };
  try {
    await db.transaction(async (tx) => {
      await holdMaintainer(tx, act.actorId, project.id);
      await updateProject(tx, project.id, { ...change, fullPath });
      await recordAudit(tx, { ...act, action: "project_changed", userId: null, details });
    });
  } catch (error) {
    throw projectRefusal(error, visibility ?? project.visibility) ?? error;
  }
}

function branchFault(branch: string): string | undefined {
  if (branch.trim() === "") return "can't be blank";
  return branch.length > 255 ? "is too long (maximum is 255 characters)" : undefined;
}
