/** Describes the responses of operations for the OpenAPI document; tests, not the service, compare replies with it. */
import { MESSAGE, REFUSAL, WRONG } from "./answer-shapes.ts";
import Type, { type Static, type TSchema } from "./schema.ts";

export interface Answer {
  description: string;
  /** Schema of the body, if there is one. A schema with an `$id` appears once in the document, under that name. */
  schema?: TSchema;
  /** Absent: `application/json`. */
  mediaType?: string;
  /** Schemas of the body in the other media types that can be requested, by media type. */
  others?: Readonly<Record<string, TSchema>>;
  /** Descriptions of the response headers, by name. */
  headers?: Readonly<Record<string, string>>;
}

/** Responses by status. */
export type Answers = Readonly<Record<string, Answer>>;

type Deep<T> = T extends readonly (infer Inner)[]
  ? readonly Deep<Inner>[]
  : T extends object
    ? { readonly [Name in keyof T]: Deep<T[Name]> }
    : T;

/** Return type of a function whose result must have exactly the members of its schema. */
export type Described<T extends TSchema> = Deep<Static<T>>;

/** Adds to a guard the responses of its routes, and the request headers that they read besides the token. */
export function answering<G extends { config: object }>(
  guard: G,
  answers: Answers,
  reads?: Readonly<Record<string, string>>,
) {
  return { ...guard, config: { ...guard.config, answers, ...(reads && { reads }) } };
}

/** Describes one refusal. */
export function refusal(description: string, schema: TSchema = MESSAGE): Answer {
  return { description, schema };
}

/** The refusal of a write whose parent another request removes at the same time (decision 0151). */
export const REMOVED_MEANWHILE = refusal("What it is about was removed at this moment");

const caller: Answers = {
  400: refusal("A parameter or a field is wrong, or two different tokens were sent", WRONG),
  401: refusal("No token, or one that is not good", REFUSAL),
  403: refusal("The token lacks the scope, or the caller the role", REFUSAL),
};
const place: Answers = { ...caller, 404: refusal("It is not there, or not to be seen") };
const write: Answers = { ...place, 409: REMOVED_MEANWHILE };

/** Refusals of routes that need a token, of those that name something, and of those that write to it. */
export const REFUSED = { caller, place, write };

/** The headers of every paginated list (`setPageHeaders`). */
export const PAGE_HEADERS = {
  "X-Total": "how many match",
  "X-Total-Pages": "how many pages they fill, at least 1",
  "X-Page": "this page",
  "X-Per-Page": "how many a page has",
  "X-Next-Page": "the next page; empty on the last one",
  "X-Prev-Page": "the page before; empty on the first one",
  Link: "rel prev, next, first and last",
};

/** Responses of a read operation; `refused` has its refusals, here and below. */
export function readAnswers(description: string, schema: TSchema, refused = REFUSED.place): Answers {
  return { ...refused, 200: { description, schema } };
}

/** Responses of a paginated list, by the schema of a row and its headers beyond `PAGE_HEADERS`. */
export function pageAnswers(
  description: string,
  row: TSchema,
  refused = REFUSED.place,
  headers: Answer["headers"] = {},
): Answers {
  const page = { description, schema: Type.Array(row), headers: { ...PAGE_HEADERS, ...headers } };
  return { ...refused, 200: page };
}

/** Responses of a write operation, with the status of its success. */
export function writeAnswers(
  status: 200 | 201 | 202,
  description: string,
  schema: TSchema,
  refused = REFUSED.write,
): Answers {
  return { ...refused, [status]: { description, schema } };
}

/** Responses of an operation whose success has no body. */
export function doneAnswers(description = "Done", refused = REFUSED.place): Answers {
  return { ...refused, 204: { description } };
}
