/** Creates a project in a namespace. */
import { nameFault } from "../accounts/name.ts";
import { type Namespace, VISIBILITIES, type Visibility } from "../accounts/namespace.ts";
import { pathFault } from "../accounts/user.ts";
import type { Queries } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import { checkFaults, FieldProblem } from "../platform/problem.ts";
import { insertProject } from "./store.ts";

export interface ProjectFields {
  namespace: Namespace;
  path: string;
  name: string;
  description?: string | undefined;
  visibility?: Visibility | undefined;
  defaultBranch?: string | undefined;
}

/**
 * First segments of addresses below a namespace, and the segments after a project's path in the address of its receiver (decision
 * 0088).
 */
const RESERVED = new Set(["-", "activity", "alerts", "badges", "projects", "prometheus"]);

/**
 * Returns the new project's id. Its creator's rights come from the namespace (owner, or a role in the group).
 * @throws FieldProblem invalid: a path or name that is invalid or taken, or more visible than the group
 */
export async function createProject(tx: Queries, makerId: number, fields: ProjectFields): Promise<number> {
  const { namespace, visibility = "private" } = fields;
  checkFaults({
    path: projectPathFault(fields.path),
    name: nameFault(fields.name),
    visibility_level: visibilityFault(visibility, namespace.visibility),
  });
  try {
    return await insertProject(tx, {
      namespaceId: namespace.id,
      path: fields.path,
      fullPath: `${namespace.fullPath}/${fields.path}`,
      name: fields.name,
      description: fields.description ?? "",
      visibility,
      defaultBranch: fields.defaultBranch ?? "main",
      creatorId: makerId,
    });
  } catch (error) {
    throw projectRefusal(error, visibility) ?? error;
  }
}

/** The violated constraint of the database: the path is taken, or the visibility of the group was lowered at the same moment. */
export function projectRefusal(error: unknown, visibility: Visibility): FieldProblem | undefined {
  switch (violatedConstraint(error)) {
    case "projects_full_path_key":
      return new FieldProblem({ path: ["has already been taken"] });
    case "projects_within_group":
      return new FieldProblem({ visibility_level: [`${visibility} is not allowed in this group.`] });
    default:
      return undefined;
  }
}

/** What is wrong with the last part of a project's address, or undefined. */
export function projectPathFault(path: string): string | undefined {
  return pathFault(path) ?? (RESERVED.has(path.toLowerCase()) ? "is a reserved name" : undefined);
}

/** What is wrong with the visibility of a project in such a namespace: it may not be more visible; undefined if it is not. */
export function visibilityFault(visibility: Visibility, namespaceVisibility: Visibility): string | undefined {
  const isMore = VISIBILITIES.indexOf(visibility) > VISIBILITIES.indexOf(namespaceVisibility);
  return isMore ? `${visibility} is not allowed in a ${namespaceVisibility} group.` : undefined;
}
