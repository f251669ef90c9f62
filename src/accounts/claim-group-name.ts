/** Reserves a name in the namespace that users and groups share. */
import type { Queries } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import { checkFaults, FieldProblem } from "../platform/problem.ts";
import { nameFault } from "./name.ts";
import { type Namespace, VISIBILITIES, type Visibility } from "./namespace.ts";
import { insertGroup } from "./store-namespaces.ts";
import { pathFault, topLevelPathFault } from "./user.ts";

export interface GroupName {
  path: string;
  name: string;
  parent?: Namespace | undefined;
  description?: string | undefined;
  visibility?: Visibility | undefined;
}

/**
 * Inserts the group's namespace.
 * @throws FieldProblem invalid: an invalid path or name, or more visible than the parent; conflict: taken
 */
export async function claimGroupName(tx: Queries, fields: GroupName): Promise<Namespace> {
  const { parent, visibility = "private" } = fields;
  checkFaults({
    path: parent ? pathFault(fields.path) : topLevelPathFault(fields.path),
    name: nameFault(fields.name),
    visibility_level: parent && visibilityFault(visibility, parent.visibility),
  });
  try {
    return await insertGroup(tx, {
      parent,
      path: fields.path,
      name: fields.name,
      description: fields.description ?? "",
      visibility,
    });
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === "namespaces_depth")
      throw new FieldProblem({ parent_id: ["is 20 levels deep already"] });
    // The parent was made less visible since it was looked up.
    if (constraint === "groups_within_group") {
      const words = `${visibility} is not allowed since the parent group has a lower visibility.`;
      throw new FieldProblem({ visibility_level: [words] });
    }
    if (constraint !== "namespaces_full_path_key") throw error;
    throw new FieldProblem({ path: ["has already been taken"] });
  }
}

function visibilityFault(visibility: Visibility, around: Visibility): string | undefined {
  if (VISIBILITIES.indexOf(visibility) <= VISIBILITIES.indexOf(around)) return undefined;
  return `${visibility} is not allowed since the parent group has a ${around} visibility.`;
}
