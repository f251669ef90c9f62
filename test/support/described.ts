/** Checks in every test that responses match the OpenAPI document. */
import assert from "node:assert/strict";
import type { FastifyInstance } from "fastify";
import Schema from "typebox/schema";
import type { Reply } from "./world.ts";

/** Any part of a JSON document. */
export type Json = Reply["json"];

export interface Operation {
  /** `GET /api/v4/projects/{id}`. */
  name: string;
  method: string;
  path: RegExp;
  /** The operation in the document. */
  told: Json;
}

const documents = new WeakMap<FastifyInstance, { document: Json; operations: readonly Operation[] }>();

/**
 * Statuses that operations do not list: they are the same for all of them (contract §2) or belong to the transport. A client
 * does not expect a refusal that an operation does not list.
 */
const EVERYWHERE = new Set([301, 304, 405, 406, 413, 415, 500]);

/** Headers that operations do not list, since any response may have them (contract §2, §4), and those of the transport. */
const EVERYWHERE_HEADERS =
  /^(content-(type|length|encoding)|transfer-encoding|connection|keep-alive|date|vary|pragma|cache-control|retry-after|ratelimit-\w+|access-control-\S+|x-(request-id|content-type-options)|content-security-policy|strict-transport-security)$/;

/** @throws AssertionError if a response is not as documented */
export async function assertDescribed(
  app: FastifyInstance,
  method: string,
  url: string,
  reply: Reply,
): Promise<void> {
  const { document, operations } = await documentOf(app);
  const asked = operationAt(operations, method, new URL(url).pathname);
  const { status } = reply;
  // An address without a route, for instance one with a name of a thousand letters, is no operation.
  if (!asked || (status === 404 && reply.text === '{"error":"404 Not Found"}')) return;
  const words = `${asked.name} answers ${status}`;
  const said = responsesOf(document, asked.told)[status];
  assert.ok(said || EVERYWHERE.has(status), `${words}, which the OpenAPI document does not say`);
  if (!said) return;
  if (status < 400) assertNamed(reply, said, words);
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
  assertFits(whole(schema, document), reply.json, words);
}

/** @throws AssertionError if a response has a header that the document does not name */
function assertNamed({ headers }: Reply, said: Json, words: string): void {
  const named = new Set(Object.keys(said.headers ?? {}).map((name) => name.toLowerCase()));
  for (const name of headers.keys()) {
    const isTold = named.has(name) || EVERYWHERE_HEADERS.test(name);
    assert.ok(isTold, `${words} with a header ${name} of which the OpenAPI document says nothing`);
  }
}

/** @throws AssertionError if a value does not match a resolved schema */
export function assertFits(schema: Json, value: Json, words: string): void {
  const [fits, faults] = Schema.Errors(schema, value);
  if (fits) return;
  const [why, what] = [faults, value].map((one) => JSON.stringify(one)?.slice(0, 1000));
  assert.fail(`${words} otherwise than the OpenAPI document says: ${why} of ${what}`);
}

async function documentOf(app: FastifyInstance) {
  const before = documents.get(app);
  if (before) return before;
  const document = JSON.parse((await app.inject("/openapi.json")).body) as Json;
  const made = { document, operations: operationsOf(document) };
  documents.set(app, made);
  return made;
}

/** All operations of a document. Of two whose paths match an address, the one with fewer parameters comes first. */
export function operationsOf(document: Json): Operation[] {
  const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([word, told]) => {
      const method = word.toUpperCase();
      const pattern = path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+");
      return { name: `${method} ${path}`, method, path: new RegExp(`^${pattern}/?$`), told };
    }),
  );
  const placesOf = ({ name }: Operation) => name.split("{").length;
  return operations.sort((a, b) => placesOf(a) - placesOf(b));
}

/** The operation with this method and path. */
export function operationAt(
  operations: readonly Operation[],
  method: string,
  pathname: string,
): Operation | undefined {
  return operations.find((one) => one.method === method && one.path.test(pathname));
}

/** The responses of an operation by status, with shared ones resolved. */
export function responsesOf(document: Json, { responses }: Json): Record<string, Json> {
  return Object.fromEntries(
    Object.entries<Json>(responses).map(([status, said]) => [
      status,
      said.$ref ? document.components.responses[said.$ref.replace("#/components/responses/", "")] : said,
    ]),
  );
}

/** The success responses of an operation: status and description. */
export function successesOf({ responses }: Json): [status: string, said: Json][] {
  return Object.entries<Json>(responses).filter(([status]) => status.startsWith("2"));
}

/** A schema with its references resolved. */
export function whole(schema: Json, document: Json): Json {
  if (Array.isArray(schema)) return schema.map((one) => whole(one, document));
  if (schema === null || typeof schema !== "object") return schema;
  if (typeof schema.$ref === "string")
    return whole(document.components.schemas[schema.$ref.replace("#/components/schemas/", "")], document);
  return Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, whole(inner, document)]));
}
