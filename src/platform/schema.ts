/** Makes JSON Schema of which TypeScript knows what its values are. */
import type Library from "typebox";
import type { TProperties, TSchema } from "typebox";

export type { Static, TObject, TProperties, TSchema, TString } from "typebox";

type Options = Readonly<Record<string, unknown>>;

/** Members of an object that may be left out; a mark beside the schema, so that JSON Schema is all that is in it. */
const optional = new WeakSet<object>();

function optionalOf(schema: TSchema): TSchema {
  const copy = { ...schema };
  optional.add(copy);
  return copy;
}

function objectOf(properties: TProperties, options?: Options): TSchema {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name] as TSchema));
  return { type: "object", ...(required.length > 0 ? { required } : {}), properties, ...options };
}

const makers = {
  String: (options?: Options) => ({ type: "string", ...options }),
  Integer: (options?: Options) => ({ type: "integer", ...options }),
  Boolean: (options?: Options) => ({ type: "boolean", ...options }),
  Null: (options?: Options) => ({ type: "null", ...options }),
  /** Anything at all. */
  Unknown: (options?: Options) => ({ ...options }),
  Literal: (value: string | number | boolean, options?: Options) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: [...values], ...options }),
  Array: (items: TSchema, options?: Options) => ({ type: "array", items, ...options }),
  Union: (schemas: readonly TSchema[], options?: Options) => ({ anyOf: [...schemas], ...options }),
  Object: objectOf,
  /** An object with any names as members. */
  Record: (_names: TSchema, values: TSchema, options?: Options) => ({
    type: "object",
    patternProperties: { "^.*$": values },
    ...options,
  }),
  Optional: optionalOf,
  /** The same object, each of whose members may be left out. */
  Partial: ({ properties }: { properties: TProperties }) =>
    objectOf(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optionalOf(schema)])),
    ),
  /** A schema of which TypeScript is told another type than it would read from it. */
  Unsafe: (schema: TSchema) => ({ ...schema }),
  IsOptional: (schema: unknown) => typeof schema === "object" && schema !== null && optional.has(schema),
};

/**
 * TypeBox's builders by their names and types, as far as we use them. Its own read in a language of types and forty languages of
 * messages, which no request asks for (decision 0218).
 */
const Type = makers as unknown as Pick<typeof Library, keyof typeof makers>;

export default Type;
