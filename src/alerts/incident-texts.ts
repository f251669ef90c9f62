/** The rules for the title and description of an incident that people write, whether they open or change it. */
import { isLongerThan } from "../platform/character-count.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { Incident } from "./incident.ts";

/** In characters. */
const MAX_TITLE = 255;
const MAX_DESCRIPTION = 1_000_000;

/**
 * Returns both as they are stored: the title trimmed, and line breaks of the description as line feeds.
 * @throws FieldProblem title, description
 */
export function incidentTexts(
  given: Pick<Incident, "title" | "description">,
): Pick<Incident, "title" | "description"> {
  const title = given.title.trim();
  const description = given.description.replaceAll("\r\n", "\n");
  const faults: Record<string, string[]> = {};
  if (title === "") faults.title = ["can't be blank"];
  if (isLongerThan(title, MAX_TITLE)) faults.title = [`is too long (maximum is ${MAX_TITLE} characters)`];
  if (isLongerThan(description, MAX_DESCRIPTION))
    faults.description = [`is too long (maximum is ${MAX_DESCRIPTION} characters)`];
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
  return { title, description };
}
