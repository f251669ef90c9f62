/** Makes or changes an environment. */
import type { Queries } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import { FieldProblem } from "../platform/problem.ts";
import { type Environment, environmentNameFault, externalUrlFault, slugOf } from "./environment.ts";
import { insertEnvironment, updateEnvironment } from "./store-environments.ts";

export interface EnvironmentFields {
  name: string;
  externalUrl: string | null;
}

/**
 * Makes an environment in a project, or changes the one given.
 * @throws FieldProblem: a name that cannot be or is taken, or an address that is not http(s)
 */
export async function addEnvironment(
  db: Queries,
  projectId: number,
  fields: EnvironmentFields,
  instead?: Environment,
): Promise<Environment> {
  const { name, externalUrl } = fields;
  const faults: Record<string, string[]> = {};
  const wrongName = environmentNameFault(name);
  const wrongUrl = externalUrlFault(externalUrl);
  if (wrongName) faults.name = [wrongName];
  if (wrongUrl) faults.external_url = [wrongUrl];
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
  try {
    const slug = slugOf(name);
    if (!instead) return await insertEnvironment(db, { projectId, name, slug, externalUrl });
    return (await updateEnvironment(db, instead.id, { name, slug, externalUrl })) ?? instead;
  } catch (error) {
    if (violatedConstraint(error) !== "environments_project_id_name_key") throw error;
    throw new FieldProblem({ name: ["has already been taken"] });
  }
}
