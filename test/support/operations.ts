/** The documented operations of the API, and valid values for their inputs. */
import type { FastifyInstance } from "fastify";

/** The part of JSON Schema that describes the members of a value. */
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

/** All operations except streams, which do not end. */
export async function operationsOf(app: FastifyInstance): Promise<Operation[]> {
  const document: { paths: Record<string, Record<string, Record<string, unknown>>> } = JSON.parse(
    (await app.inject("/openapi.json")).body,
  );
  const ending = Object.entries(document.paths).filter(([path]) => !path.endsWith("/stream"));
  return ending.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const content =
        (operation.requestBody as { content?: Record<string, unknown> } | undefined)?.content ?? {};
      const taken = content["application/json"] ?? Object.values(content)[0];
      const schema = (taken as { schema?: Shape } | undefined)?.schema;
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

/** A valid value for a schema, so that a test reaches what is wrong beside it. */
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

/** The schema of the values of a map. */
export function recordOf({ patternProperties, additionalProperties }: Shape): Shape | undefined {
  const [each] = Object.values(patternProperties ?? {});
  return each ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
}

const GAP = /\{[^}]+\}|:[a-z_]+(\|:[a-z_]+)*/g;

/** A valid query for an address of the API that requires one; else nothing. */
export function queryFor(address: string): string {
  return address.startsWith("/api/v4/") && address.endsWith("/search") ? "?scope=issues&search=x" : "";
}

/** A valid body for a method and path of the API; undefined: no such operation. */
export async function bodiesOf(
  app: FastifyInstance,
): Promise<(door: { method: string; path: string }) => object | undefined> {
  const nameOf = ({ method, path }: { method: string; path: string }) =>
    `${method} ${path.replace(GAP, "*")}`;
  const bodies = new Map(
    (await operationsOf(app)).map((each) => [nameOf(each), fitting(each.body) as object]),
  );
  // Requirements of the operations that are not in their schemas.
  for (const place of ["projects", "groups"]) {
    bodies.set(`POST /api/v4/${place}/*/invitations`, { email: "new@sea.example", access_level: 30 });
    bodies.set(`POST /api/v4/${place}/*/members`, { user_id: 1, access_level: 30 });
  }
  bodies.set("PUT /api/v4/projects/*/transfer", { namespace: "acme" });
  const person = { name: "N", email: "new@sea.example", password: "a good password" };
  bodies.set("POST /api/v4/users", { ...person, username: "new" });
  return (door) => (door.method === "GET" && door.path.endsWith("/stream") ? {} : bodies.get(nameOf(door)));
}
