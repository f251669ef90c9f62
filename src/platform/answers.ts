/** What operations answer, for the OpenAPI document alone: replies go out as they are written, and tests hold them to it. */
import Type, { type Static, type TSchema } from "typebox";

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

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const moment = (description = "UTC, with milliseconds, ending in Z") =>
  Type.String({ format: "date-time", description });

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

type Deep<T> = T extends readonly (infer Inner)[]
  ? readonly Deep<Inner>[]
  : T extends object
    ? { readonly [Name in keyof T]: Deep<T[Name]> }
    : T;

/** What a function returns whose record is to have the members that its schema names, and no others. */
export type Described<T extends TSchema> = Deep<Static<T>>;

/** A guard whose routes say what they answer. */
export function answering<G extends { config: object }>(guard: G, answers: Answers) {
  return { ...guard, config: { ...guard.config, answers } };
}

/** The body of most refusals. */
export const MESSAGE = Type.Object({ message: Type.String() }, { $id: "Message" });

/** The body of refusals about parameters and scopes. */
export const ERROR = Type.Object(
  {
    error: Type.String({ description: "several faults are joined by a comma and a space" }),
    error_description: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String({ description: "the scopes of which one is needed" })),
  },
  { $id: "Error" },
);

/** The body of refusals of fields, by field. */
export const FAULTS = Type.Object(
  { message: Type.Record(Type.String(), Type.Array(Type.String())) },
  { $id: "Faults" },
);

/** The body of a refusal of what was sent: of a parameter, of fields, or of a value that nothing can hold. */
export const WRONG = Type.Union([ERROR, MESSAGE, FAULTS], { $id: "Wrong" });

const REFUSAL = Type.Union([MESSAGE, ERROR], { $id: "Refusal" });

/** Refusals of routes that ask for a token and name a place. */
export const REFUSED: Answers = {
  401: { description: "No token, or one that is not good", schema: REFUSAL },
  403: { description: "The token lacks the scope, or the caller the role", schema: REFUSAL },
  404: { description: "It is not there, or not to be seen", schema: MESSAGE },
};
