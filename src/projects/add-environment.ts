/** Creates or changes an environment. */
import type { Queries } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import { checkFaults, FieldProblem, Problem } from "../platform/problem.ts";
import { type Environment, environmentNameFault, externalUrlFault, slugOf } from "./environment.ts";
import { insertEnvironment, updateEnvironment } from "./store-environments.ts";

export interface EnvironmentFields {
  name: string;
  externalUrl: string | null;
}

/** @throws FieldProblem: a name that is invalid or taken, or an address that is not http(s) */
export async function addEnvironment(
  db: Queries,
  projectId: number,
  fields: EnvironmentFields,
): Promise<Environment> {
  checkFields(fields);
  const { name, externalUrl } = fields;
  return orNameTaken(insertEnvironment(db, { projectId, name, slug: slugOf(name), externalUrl }));
}

/**
 * Absent members stay as they are, even if another request changes them at the same time.
 * @throws FieldProblem as `addEnvironment` does; Problem not_found: it was deleted meanwhile
 */
export async function changeEnvironment(
  db: Queries,
  id: number,
  change: Partial<EnvironmentFields>,
): Promise<Environment> {
  checkFields(change);
  const { name } = change;
  const slug = name === undefined ? undefined : slugOf(name);
  const changed = await orNameTaken(updateEnvironment(db, id, { ...change, slug }));
  if (!changed) throw new Problem("not_found", "404 Not found");
  return changed;
}

function checkFields({ name, externalUrl = null }: Partial<EnvironmentFields>): void {
  checkFaults({
    name: name === undefined ? undefined : environmentNameFault(name),
    external_url: externalUrlFault(externalUrl),
  });
}

async function orNameTaken<T>(written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (violatedConstraint(error) !== "environments_project_id_name_key") throw error;
    throw new FieldProblem({ name: ["has already been taken"] });
  }
}
