/** Renames, moves or opens a project; the address it had leads on to the new one. */
import { nameFault } from "../accounts/user.ts";
import type { Queries } from "../platform/db.ts";
import { FieldProblem } from "../platform/problem.ts";
import { projectPathFault, projectRefusal, tooVisible } from "./create-project.ts";
import type { Project, Visibility } from "./project.ts";
import { updateProject } from "./store.ts";

export interface ProjectEdit {
  name?: string | undefined;
  path?: string | undefined;
  description?: string | undefined;
  visibility?: Visibility | undefined;
  defaultBranch?: string | undefined;
}

/** @throws FieldProblem: a path or name that cannot be or is taken, or more visible than its group */
export async function changeProject(
  db: Queries,
  project: Project,
  namespaceVisibility: Visibility,
  edit: ProjectEdit,
): Promise<void> {
  const { path = project.path, name = project.name, visibility = project.visibility } = edit;
  const faults: Record<string, string[]> = {};
  const wrongPath = path === project.path ? undefined : projectPathFault(path);
  const wrongName = nameFault(name);
  if (wrongPath) faults.path = [wrongPath];
  if (wrongName) faults.name = [wrongName];
  if (tooVisible(visibility, namespaceVisibility)) {
    faults.visibility_level = [`${visibility} is not allowed in a ${namespaceVisibility} group.`];
  }
  if (edit.defaultBranch !== undefined && edit.defaultBranch.trim() === "") {
    faults.default_branch = ["can't be blank"];
  }
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
  try {
    await updateProject(db, project.id, {
      path,
      fullPath: `${project.namespaceFullPath}/${path}`,
      name,
      visibility,
      description: edit.description ?? project.description,
      defaultBranch: edit.defaultBranch ?? project.defaultBranch,
    });
  } catch (error) {
    throw projectRefusal(error, visibility) ?? error;
  }
}
