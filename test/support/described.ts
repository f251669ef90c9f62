/** Holds what operations answer to what the OpenAPI document says of them, in whatever test they are asked. */
import assert from "node:assert/strict";
import type { FastifyInstance } from "fastify";
import type { TSchema } from "typebox";
import Schema from "typebox/schema";
import type { Reply } from "./world.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is read as it comes
type Json = any;

interface Operation {
  name: string;
  method: string;
  path: RegExp;
  responses: Json;
}

const documents = new WeakMap<FastifyInstance, { operations: Operation[]; shapes: Json }>();

/**
 * Statuses that stand by no operation: they are the same at all of them (contract §2) or of the transport. A refusal that an
 * operation does not name is one that clients do not expect.
 */
const EVERYWHERE = new Set([301, 304, 405, 406, 413, 415, 429, 500, 503]);

/** @throws AssertionError when an operation answers what the document does not say */
export function assertDescribed(app: FastifyInstance, method: string, url: string, reply: Reply): void {
  const { operations, shapes } = documentOf(app);
  const { pathname } = new URL(url);
  const asked = operations.find((one) => one.method === method && one.path.test(pathname));
  const { status } = reply;
  // An address that no route takes, for instance one with a name of a thousand letters, is no operation.
  if (!asked || (status === 404 && reply.text === '{"error":"404 Not Found"}')) return;
  const words = `${asked.name} answers ${status}`;
  const said = asked.responses[status];
  assert.ok(said || EVERYWHERE.has(status), `${words}, which the OpenAPI document does not say`);
  if (!said) return;
  const mediaType = reply.headers.get("content-type")?.split(";")[0] ?? "";
  const isOther = mediaType !== "application/json" && said.content?.[mediaType] !== undefined;
  const schema = isOther ? undefined : said.content?.["application/json"]?.schema;
  if (schema === undefined) {
    assert.ok(
      said.content !== undefined || reply.text === "",
      `${words} with a body of which the OpenAPI document says nothing`,
    );
    return;
  }
  const [fits, faults] = Schema.Errors(whole(schema, shapes) as TSchema, reply.json);
  assert.ok(
    fits,
    `${words} otherwise than the OpenAPI document says: ${JSON.stringify(faults).slice(0, 1000)} of ${reply.text.slice(0, 1000)}`,
  );
}

function documentOf(app: FastifyInstance) {
  const before = documents.get(app);
  if (before) return before;
  const document = app.swagger() as Json;
  const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, told]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}/?$`),
      parts: path.split(/\{\w+\}/).length,
      responses: responsesOf(document, told),
    })),
  );
  // Of two that fit, the one with fewer places left open is asked.
  operations.sort((a, b) => a.parts - b.parts);
  const made = { operations, shapes: document.components.schemas };
  documents.set(app, made);
  return made;
}

/** What an operation answers by status, with those that it shares with others in their places. */
export function responsesOf(document: Json, { responses }: Json): Record<string, Json> {
  return Object.fromEntries(
    Object.entries<Json>(responses).map(([status, said]) => [
      status,
      said.$ref ? document.components.responses[said.$ref.replace("#/components/responses/", "")] : said,
    ]),
  );
}

/** A schema with the shapes that it refers to in their places. */
export function whole(schema: Json, shapes: Json): Json {
  if (Array.isArray(schema)) return schema.map((one) => whole(one, shapes));
  if (schema === null || typeof schema !== "object") return schema;
  if (typeof schema.$ref === "string")
    return whole(shapes[schema.$ref.replace("#/components/schemas/", "")], shapes);
  return Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, whole(inner, shapes)]));
}
