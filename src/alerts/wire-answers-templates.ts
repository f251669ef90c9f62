/** Responses about incident templates, for the OpenAPI document (decision 0117). */
import { moment, record } from "../platform/answer-shapes.ts";
import {
  doneAnswers,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";

export const TEMPLATE = record("IncidentTemplate", {
  id: Type.Integer(),
  name: Type.String(),
  content: Type.String({ description: "Markdown" }),
  created_at: moment(),
  updated_at: moment(),
});

export const TEMPLATES_ANSWERS = pageAnswers("A page of templates", TEMPLATE);

export const TEMPLATE_ANSWERS = readAnswers("The template", TEMPLATE);

export const NEW_TEMPLATE_ANSWERS = writeAnswers(201, "The new template", TEMPLATE, {
  ...REFUSED.write,
  422: refusal("The project has the maximum number of templates"),
});

export const CHANGED_TEMPLATE_ANSWERS = writeAnswers(200, "The updated template", TEMPLATE);

export const REMOVED_TEMPLATE_ANSWERS = doneAnswers(
  "The template was deleted; incidents keep its text",
  REFUSED.write,
);
