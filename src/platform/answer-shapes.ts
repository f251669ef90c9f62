/** Building blocks for the schemas of response bodies. */
import Type, { type TObject, type TProperties, type TSchema } from "./schema.ts";

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const moment = (description = "UTC, with milliseconds, ending in Z") =>
  Type.String({ format: "date-time", description });

export const day = (description?: string) =>
  Type.String({ format: "date", ...(description && { description }) });

/** An object that has only the named members. */
const exact = { additionalProperties: false };

/** An object schema with its own `$id` that allows only these members. */
export function record<P extends TProperties>($id: string, members: P, description?: string): TObject<P> {
  return Type.Object(members, { $id, ...(description && { description }), ...exact });
}

/** An object schema without an `$id`, which the document repeats wherever it is used. */
export function unnamed<P extends TProperties>(members: P, description?: string): TObject<P> {
  return Type.Object(members, { ...exact, ...(description && { description }) });
}

/** The body of most refusals. */
export const MESSAGE = Type.Object({ message: Type.String() }, { $id: "Message" });

/** The body of refusals about parameters and scopes. */
export const ERROR = Type.Object(
  {
    error: Type.String({ description: "error code, or error messages joined by a comma and a space" }),
    error_description: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String({ description: "scopes, any one of which is sufficient" })),
  },
  { $id: "Error" },
);

/** The body of refusals of fields, by field. */
export const FAULTS = Type.Object(
  { message: Type.Record(Type.String(), Type.Array(Type.String())) },
  { $id: "Faults" },
);

/** The body of a refused request: because of a parameter, of fields, or of a value that cannot be stored. */
export const WRONG = Type.Union([ERROR, MESSAGE, FAULTS], { $id: "Wrong" });

/** The body of a refusal because of the caller's token or role. */
export const REFUSAL = Type.Union([MESSAGE, ERROR], { $id: "Refusal" });
