/** What the answers about alerts have in common, as the OpenAPI document describes them. */
import Type, { type TSchema } from "typebox";
import { type Answers, MESSAGE, PAGE_HEADERS, REFUSED, WRONG } from "../platform/answers.ts";

/** What every operation can refuse. */
export const READ_REFUSED: Answers = {
  400: { description: "Something that was sent is missing or wrong, or there are two tokens", schema: WRONG },
  ...REFUSED,
};

const WRITE_REFUSED: Answers = {
  ...READ_REFUSED,
  409: { description: "What this is about was removed at this moment", schema: MESSAGE },
};

/** Of an operation that reads; `more` says what else it answers. */
export function readAnswers(description: string, schema: TSchema, more: Answers = {}): Answers {
  return { 200: { description, schema }, ...READ_REFUSED, ...more };
}

/** Of a list in pages. */
export function pageAnswers(description: string, schema: TSchema): Answers {
  return {
    200: { description, schema: Type.Array(schema), headers: PAGE_HEADERS },
    ...READ_REFUSED,
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
