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
  others?: Bodies;
  /** Descriptions of the response headers, by name. */
  headers?: Readonly<Record<string, string>>;
}

/** Schemas of a body, by media type. */
export type Bodies = Readonly<Record<string, TSchema>>;

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
export const REMOVED_MEANWHILE = refusal(
  "The resource, or its parent, was removed while the request was processed",
);

const caller: Answers = {
  400: refusal("A parameter or field is invalid, or two different tokens were sent", WRONG),
  401: refusal("The token is missing or not valid", REFUSAL),
  403: refusal("The token lacks a required scope, or the caller lacks the required role", REFUSAL),
};
const place: Answers = {
  ...caller,
  404: refusal("The resource does not exist or is not visible to the caller"),
};
const write: Answers = { ...place, 409: REMOVED_MEANWHILE };

/** Refusals of routes that need a token, of those that name something, and of those that write to it. */
export const REFUSED = { caller, place, write };

/** The headers of every paginated list (`setPageHeaders`). */
export const PAGE_HEADERS = {
  "X-Total": "total number of items",
  "X-Total-Pages": "total number of pages, at least 1",
  "X-Page": "number of this page",
  "X-Per-Page": "number of items per page",
  "X-Next-Page": "number of the next page; empty on the last page",
  "X-Prev-Page": "number of the previous page; empty on the first page",
  Link: "addresses of other pages, with rel prev, next, first and last",
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
