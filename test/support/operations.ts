/** The documented operations of the API, and values that fit what they take. */
import type { FastifyInstance } from "fastify";

/** The part of JSON Schema that says what a member is made of. */
export interface Shape {
  type?: string;
  enum?: unknown[];
  anyOf?: Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  patternProperties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
  required?: string[];
}

export interface Operation {
  path: string;
  method: string;
  parameters: { name: string; in: string }[];
  members: string[];
  body: Shape;
}

/** All of them, but for streams: an accepted one has no end to wait for. */
export function operationsOf(app: FastifyInstance): Operation[] {
  const document = app.swagger() as unknown as {
    paths: Record<string, Record<string, Record<string, unknown>>>;
  };
  const ending = Object.entries(document.paths).filter(([path]) => !path.endsWith("/stream"));
  return ending.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const content =
        (operation.requestBody as { content?: Record<string, unknown> } | undefined)?.content ?? {};
      const schema = (content["application/json"] as { schema?: Shape } | undefined)?.schema;
      return {
        path,
        method: method.toUpperCase(),
        parameters: (operation.parameters as Operation["parameters"] | undefined) ?? [],
        members: Object.keys(schema?.properties ?? {}),
        body: schema ?? {},
      };
    }),
  );
}

/** A value that fits, so that what is wrong beside it is reached. */
export function fitting({
  type,
  enum: words,
  anyOf,
  items,
  properties = {},
  required = [],
  ...rest
}: Shape): unknown {
  if (words) return words[0];
  if (anyOf) return fitting(anyOf.find((one) => one.type !== "null") ?? {});
  if (type === "array") return items ? [fitting(items)] : [];
  if (type === "integer" || type === "number" || type === "boolean") return type === "boolean" || 1;
  if (type !== "object") return "1";
  const each = recordOf(rest);
  if (each) return { a: fitting(each) };
  return Object.fromEntries(required.map((name) => [name, fitting(properties[name] ?? {})]));
}

/** What the members of a map are made of. */
export function recordOf({ patternProperties, additionalProperties }: Shape): Shape | undefined {
  const [each] = Object.values(patternProperties ?? {});
  return each ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
}
