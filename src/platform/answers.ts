/** What operations answer, for the OpenAPI document alone: replies go out as they are written, and tests hold them to it. */
import Type, { type TSchema } from "typebox";

export interface Answer {
  description: string;
  /** Of the body, where it has one. What bears an `$id` stands once in the document, under that name. */
  schema?: TSchema;
  /** Absent: `application/json`. */
  mediaType?: string;
  /** What the headers tell, by name. */
  headers?: Readonly<Record<string, string>>;
}

/** By status, or `2XX` and the like. */
export type Answers = Readonly<Record<string, Answer>>;

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
export const WRONG = Type.Union([ERROR, MESSAGE, FAULTS]);

/** Refusals of routes that ask for a token and name a place. */
export const REFUSED: Answers = {
  401: { description: "No token, or one that is not good", schema: Type.Union([MESSAGE, ERROR]) },
  403: {
    description: "The token lacks the scope, or the caller the role",
    schema: Type.Union([ERROR, MESSAGE]),
  },
  404: { description: "It is not there, or not to be seen", schema: MESSAGE },
};
