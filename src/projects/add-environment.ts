/** Creates, changes or deletes an environment, for those who are Developers at that moment (decision 0322). */
import type { Db } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import { checkFaults, FieldProblem, Problem } from "../platform/problem.ts";
import { type Environment, environmentNameFault, externalUrlFault, slugOf } from "./environment.ts";
import { holdDeveloper } from "./hold-role.ts";
import { deleteEnvironment, insertEnvironment, updateEnvironment } from "./store-environments.ts";

export interface EnvironmentFields {
  name: string;
  externalUrl: string | null;
}

/**
 * @throws FieldProblem: a name that is invalid or taken, or an address that is not http(s); Problem as `holdDeveloper`
 */
export function addEnvironment(
  { transaction }: Pick<Db, "transaction">,
  actorId: number,
  projectId: number,
  fields: EnvironmentFields,
): Promise<Environment> {
  checkFields(fields);
  const { name, externalUrl } = fields;
  return transaction(async (tx) => {
    await holdDeveloper(tx, actorId, projectId);
    return orNameTaken(insertEnvironment(tx, { projectId, name, slug: slugOf(name), externalUrl }));
  });
}

/**
 * Absent members stay as they are, even if another request changes them at the same time.
 * @throws FieldProblem as `addEnvironment` does; Problem not_found: it was deleted meanwhile; as `holdDeveloper`
 */
export function changeEnvironment(
  { transaction }: Pick<Db, "transaction">,
  actorId: number,
  { id, projectId }: Pick<Environment, "id" | "projectId">,
  change: Partial<EnvironmentFields>,
): Promise<Environment> {
  checkFields(change);
  const { name } = change;
  const slug = name === undefined ? undefined : slugOf(name);
  return transaction(async (tx) => {
    await holdDeveloper(tx, actorId, projectId);
    const changed = await orNameTaken(updateEnvironment(tx, id, { ...change, slug }));
    if (!changed) throw new Problem("not_found", "404 Not found");
    return changed;
  });
}

/** Alerts that named it stay, without it. @throws Problem as `holdDeveloper` */
export function removeEnvironment(
  { transaction }: Pick<Db, "transaction">,
  actorId: number,
  { id, projectId }: Pick<Environment, "id" | "projectId">,
): Promise<void> {
  return transaction(async (tx) => {
    await holdDeveloper(tx, actorId, projectId);
    await deleteEnvironment(tx, id);
  });
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
