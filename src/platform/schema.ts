/** Builds JSON Schemas with the TypeScript types of their values. */
import type Library from "typebox";
import type { TProperties, TSchema } from "typebox";

export type { Static, TObject, TProperties, TSchema, TString } from "typebox";

type Options = Readonly<Record<string, unknown>>;

/** Schemas of optional members; kept beside the schemas, so that these contain JSON Schema only. */
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
  /** Any value. */
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
  /** An object with arbitrary member names. */
  Record: (_names: TSchema, values: TSchema, options?: Options) => ({
    type: "object",
    patternProperties: { "^.*$": values },
    ...options,
  }),
  Optional: optionalOf,
  /** The same object with all members optional. */
  Partial: ({ properties }: { properties: TProperties }) =>
    objectOf(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optionalOf(schema)])),
    ),
  /** A schema that gets another TypeScript type than it would by itself. */
  Unsafe: (schema: TSchema) => ({ ...schema }),
  IsOptional: (schema: unknown) => typeof schema === "object" && schema !== null && optional.has(schema),
};

/**
 * TypeBox's builders with their names and types, as far as they are used here. Its own load a type language and messages in forty
 * languages, which no request needs (decision 0218).
 */
const Type = makers as unknown as Pick<typeof Library, keyof typeof makers>;

export default Type;
