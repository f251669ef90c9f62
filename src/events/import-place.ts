/** Checks the project and the event source that an import names for all its lines, before the first line is read. */
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { visibleProject } from "../projects/access.ts";
import { CONSOLE, type ImportOptions } from "./import.ts";
import { findPlaceOfSource } from "./store-imports.ts";

/**
 * A mistake in one of them would refuse every line and still record the file as imported, or write targets with the numbers of a
 * source that somebody creates later.
 * @throws Problem not_found: there is no such project, or no such source of it; forbidden: the project is archived or marked for
 *   deletion
 */
export async function checkImportPlace(
  db: Queries,
  { project, sourceId }: Pick<ImportOptions, "project" | "sourceId">,
): Promise<void> {
  const projectId = project === undefined ? undefined : await numberOf(db, project);
  if (sourceId === undefined) return;
  const place = await findPlaceOfSource(db, sourceId);
  if (!place) throw new Problem("not_found", `There is no event source ${sourceId}`);
  if (projectId !== undefined && place.projectId !== projectId) {
    throw new Problem("not_found", `The event source ${sourceId} is not one of ${project}`);
  }
}

async function numberOf(db: Queries, project: string): Promise<number> {
  try {
    return (await visibleProject(db, CONSOLE, project)).id;
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== "not_found") throw error;
    throw new Problem("not_found", `There is no project ${project}`);
  }
}
