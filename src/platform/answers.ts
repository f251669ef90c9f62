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
