/** Requests about incident templates, and their record on the API. */
import type { Described } from "../platform/answers.ts";
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import type { IncidentTemplate, TemplateFields } from "./incident-template.ts";
import type { TEMPLATE } from "./wire-answers-templates.ts";

const name = Type.String({ description: "name of the template, at most 255 characters" });
const content = Type.String({ description: "text of the template in Markdown, at most 64 KiB" });
export const NewTemplateBody = Type.Object({ name, content });
export type NewTemplateBody = Static<typeof NewTemplateBody>;
export const TemplateBody = Type.Object({
  name: Type.Optional(name),
  content: Type.Optional(content),
});
export type TemplateBody = Static<typeof TemplateBody>;
export const TemplatesQuery = Type.Object({ ...pageParameters });
export type TemplatesQuery = Static<typeof TemplatesQuery>;
export const TemplateParameters = Type.Object({
  ...ProjectParameters.properties,
  template_id: Type.String({ description: "number of the template" }),
});
export type TemplateParameters = Static<typeof TemplateParameters>;

/** The fields of a body; in a change, fields that it does not name keep their values. */
export function templateFieldsOf(body: TemplateBody, before?: IncidentTemplate): TemplateFields {
  return {
    name: body.name?.trim() ?? before?.name ?? "",
    // Forms send CR LF; both line endings are stored alike.
    content: body.content?.replaceAll("\r\n", "\n") ?? before?.content ?? "",
  };
}

/** A template as the API shows it. */
export function templateRecord(template: IncidentTemplate): Described<typeof TEMPLATE> {
  return {
    id: template.id,
    name: template.name,
    content: template.content,
    created_at: template.createdAt.toISOString(),
    updated_at: template.updatedAt.toISOString(),
  };
}
