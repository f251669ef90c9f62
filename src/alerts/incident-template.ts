/** A template: a named text that a project's incidents are described with (decision 0117). */
import { nameFault } from "../accounts/name.ts";
import { instant, integer, type RowOf, row, text } from "../platform/row.ts";

export const TemplateRow = row({
  id: integer,
  projectId: integer,
  name: text,
  /** Markdown. */
  content: text,
  createdAt: instant,
  updatedAt: instant,
});
export type IncidentTemplate = RowOf<typeof TemplateRow>;

/** What of a template can be written. */
export type TemplateFields = Pick<IncidentTemplate, "name" | "content">;

/** How many a project may have. */
export const MAX_TEMPLATES = 50;
const MAX_CONTENT_BYTES = 64 * 1024;

/** What stands between the facts of an alert and the template. */
export const TEMPLATE_RULE = "\n\n---\n\n";

/** The description of an alert's incident, ended by the template if there is one. */
export function withTemplate(body: string, template: string | undefined): string {
  return template === undefined ? body : body + TEMPLATE_RULE + template;
}

/**
 * What is wrong with a template, by field.
 * @param before its name until now, if it has one
 */
export function templateFaults({ name, content }: TemplateFields, before?: string): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  const wrongName = nameFault(name, 255, before);
  if (wrongName) faults.name = [wrongName];
  if (content.trim() === "") faults.content = ["can't be blank"];
  if (Buffer.byteLength(content) > MAX_CONTENT_BYTES) faults.content = ["is too long (maximum is 64 KiB)"];
  return faults;
}
