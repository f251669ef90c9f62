/** What the answers about alerts have in common, as the OpenAPI document describes them. */
import Type, { type TSchema } from "typebox";
import { REFUSED_PLACE, REMOVED_MEANWHILE } from "../platform/answer-shapes.ts";
import { type Answers, MESSAGE, PAGE_HEADERS } from "../platform/answers.ts";

const WRITE_REFUSED: Answers = { ...REFUSED_PLACE, ...REMOVED_MEANWHILE };

/** Of an operation that reads; `more` says what else it answers. */
export function readAnswers(description: string, schema: TSchema, more: Answers = {}): Answers {
  return { 200: { description, schema }, ...REFUSED_PLACE, ...more };
}

/** Of a list in pages. */
export function pageAnswers(description: string, schema: TSchema): Answers {
  return {
    200: { description, schema: Type.Array(schema), headers: PAGE_HEADERS },
    ...REFUSED_PLACE,
  };
}

/** Of an operation that writes, with the status of what was done. */
export function writeAnswers(
  status: 200 | 201 | 202,
  description: string,
  schema: TSchema,
  more: Answers = {},
): Answers {
  return { [status]: { description, schema }, ...WRITE_REFUSED, ...more };
}

/** Of an operation that removes. */
export function removalAnswers(description: string): Answers {
  return { 204: { description }, ...WRITE_REFUSED };
}

/** A refusal that depends on what there is. */
export function refusedAs(status: 409 | 422, description: string): Answers {
  return { [status]: { description, schema: MESSAGE } };
}
