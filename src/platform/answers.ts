/** What operations answer, for the OpenAPI document alone: replies go out as they are written, and tests hold them to it. */
import { MESSAGE, REFUSAL, WRONG } from "./answer-shapes.ts";
import Type, { type Static, type TSchema } from "./schema.ts";

export interface Answer {
  description: string;
  /** Of the body, where it has one. What bears an `$id` stands once in the document, under that name. */
  schema?: TSchema;
  /** Absent: `application/json`. */
  mediaType?: string;
  /** The body in the other media types that can be asked for, by them. */
  others?: Readonly<Record<string, TSchema>>;
  /** What the headers tell, by name. */
  headers?: Readonly<Record<string, string>>;
}

/** By status. */
export type Answers = Readonly<Record<string, Answer>>;

type Deep<T> = T extends readonly (infer Inner)[]
  ? readonly Deep<Inner>[]
  : T extends object
    ? { readonly [Name in keyof T]: Deep<T[Name]> }
    : T;

/** What a function returns whose record is to have the members that its schema names, and no others. */
export type Described<T extends TSchema> = Deep<Static<T>>;

/** A guard whose routes say what they answer, and which headers of a request they read beside the token. */
export function answering<G extends { config: object }>(
  guard: G,
  answers: Answers,
  reads?: Readonly<Record<string, string>>,
) {
  return { ...guard, config: { ...guard.config, answers, ...(reads && { reads }) } };
}

/** One refusal, such as one that depends on what there is. */
export function refusal(description: string, schema: TSchema = MESSAGE): Answer {
  return { description, schema };
}

/** Of what is written beside something that another request can remove (decision 0151). */
export const REMOVED_MEANWHILE = refusal("What it is about was removed at this moment");

const caller: Answers = {
  400: refusal("A parameter or a field is wrong, or two different tokens were sent", WRONG),
  401: refusal("No token, or one that is not good", REFUSAL),
  403: refusal("The token lacks the scope, or the caller the role", REFUSAL),
};
const place: Answers = { ...caller, 404: refusal("It is not there, or not to be seen") };
const write: Answers = { ...place, 409: REMOVED_MEANWHILE };

/** What routes refuse that ask for a token, those of them that name something, and those that write beside it. */
export const REFUSED = { caller, place, write };

/** The headers of every list in pages (`setPageHeaders`). */
export const PAGE_HEADERS = {
  "X-Total": "how many match",
  "X-Total-Pages": "how many pages they fill, at least 1",
  "X-Page": "this page",
  "X-Per-Page": "how many a page has",
  "X-Next-Page": "the next page; empty on the last one",
  "X-Prev-Page": "the page before; empty on the first one",
  Link: "rel prev, next, first and last",
};

/** Of an operation that reads; `refused` is what else it answers, here and below. */
export function readAnswers(description: string, schema: TSchema, refused = REFUSED.place): Answers {
  return { ...refused, 200: { description, schema } };
}

/** Of a list in pages, by the schema of a row and the headers that it has beside those of every list. */
export function pageAnswers(
  description: string,
  row: TSchema,
  refused = REFUSED.place,
  headers: Answer["headers"] = {},
): Answers {
  const page = { description, schema: Type.Array(row), headers: { ...PAGE_HEADERS, ...headers } };
  return { ...refused, 200: page };
}

/** Of an operation that writes, with the status of what was done. */
export function writeAnswers(
  status: 200 | 201 | 202,
  description: string,
  schema: TSchema,
  refused = REFUSED.write,
): Answers {
  return { ...refused, [status]: { description, schema } };
}

/** Of an operation whose answer has no body. */
export function doneAnswers(description = "Done", refused = REFUSED.place): Answers {
  return { ...refused, 204: { description } };
}
