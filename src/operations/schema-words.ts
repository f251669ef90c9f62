/** Describes schemas of the OpenAPI document in words: types, members, and sample values. */

/** The part of OpenAPI 3.1 and JSON Schema that our document uses. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  default?: unknown;
  minimum?: number;
  maxLength?: number;
  description?: string;
}

/** A member of an object. */
export interface Member {
  name: string;
  /** Its type in words. */
  type: string;
  required: boolean;
  description: string;
  /** The names of the records in its type. */
  records: readonly string[];
}

/** Returns the members of an object schema. */
export function membersOf({ properties = {}, required = [] }: Schema): Member[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    required: required.includes(name),
    description: schema.description ?? "",
    records: namesIn(schema),
  }));
}

/** Returns the name of the schema that this one refers to. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf("/") + 1);
}

/** Returns the type of a schema in words. */
export function typeOf(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => String(value)).join(" | ");
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.properties) return `object of ${Object.keys(schema.properties).join(", ")}`;
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  return (schema.type as string | undefined) ?? "any";
}

/** Returns a sample value of the type. */
export function sampleOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sampleOf(schema.anyOf[0] ?? {});
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "array":
      return [sampleOf(schema.items ?? {})];
    case "object":
      return sampleObjectOf(schema);
    default:
      return "…";
  }
}

/** An object with its required members. */
function sampleObjectOf({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const needed = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(needed.map(([name, schema]) => [name, sampleOf(schema)]));
}

/** Returns the names of all schemas that a schema refers to. */
export function namesIn(schema: unknown): string[] {
  if (schema === null || typeof schema !== "object") return [];
  const name = nameOf(schema as Schema);
  return name === undefined ? Object.values(schema).flatMap(namesIn) : [name];
}
