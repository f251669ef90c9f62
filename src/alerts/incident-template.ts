/** A template: a named text for the descriptions of a project's incidents (decision 0117). */
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

/** The fields of a template that can be set. */
export type TemplateFields = Pick<IncidentTemplate, "name" | "content">;

/** The most templates that a project may have. */
export const MAX_TEMPLATES = 50;
const MAX_CONTENT_BYTES = 64 * 1024;

/** The separator between the facts of an alert and the template. */
export const TEMPLATE_RULE = "\n\n---\n\n";

/** Appends the template, if there is one, to the description of an alert's incident. */
export function withTemplate(body: string, template: string | undefined): string {
  return template === undefined ? body : body + TEMPLATE_RULE + template;
}

/**
 * Returns the errors in a template's fields.
 * @param before its current name, if it has one
 */
export function templateFaults({ name, content }: TemplateFields, before?: string): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  const wrongName = nameFault(name, 255, before);
  if (wrongName) faults.name = [wrongName];
  if (content.trim() === "") faults.content = ["can't be blank"];
  if (Buffer.byteLength(content) > MAX_CONTENT_BYTES) faults.content = ["is too long (maximum is 64 KiB)"];
  return faults;
}
