/** An operation of the OpenAPI document as the explorer shows it: parameters, body, responses, and a command that calls it. */
import { isObject, type JsonObject } from "../platform/json-object.ts";
import { shellQuoted } from "../platform/shell-quoted.ts";
import { answersOf, type DescribedAnswers, type OperationAnswer, usualOf } from "./operation-answers.ts";
import { type Member, membersOf, namesIn, type Schema, sampleOf, typeOf } from "./schema-words.ts";

/** A parameter or a member of the body. */
export interface Field extends Member {
  /** Its location: path, query, header, body, or each row of a body that is a list. */
  place: string;
}

/** What a request proves itself with; `maybe token`: it may also have no token. */
export type Proof = "token" | "maybe token" | "application" | "none";

export interface Operation {
  /** Unique on a page: `get-api-v4-users-id`. */
  id: string;
  tag: string;
  method: string;
  path: string;
  description: string;
  proof: Proof;
  fields: readonly Field[];
  answers: readonly OperationAnswer[];
  /** A curl command with sample values. */
  command: string;
}

interface Described {
  tags?: readonly string[];
  description?: string;
  parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema?: Schema;
  }[];
  requestBody?: { content?: Readonly<Record<string, { schema?: Schema }>> };
  responses?: DescribedAnswers;
  security?: readonly object[];
}

/** An OpenAPI document. */
export interface Description {
  servers?: readonly { url: string }[];
  paths?: Readonly<Record<string, JsonObject>>;
  components?: {
    schemas?: Readonly<Record<string, Schema>>;
    responses?: DescribedAnswers;
  };
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Returns all operations, in the order of the document. */
export function operationsOf(document: Description): Operation[] {
  const origin = document.servers?.[0]?.url ?? "";
  const shared = document.components?.responses ?? {};
  const described = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const told = methods[method] as Described | undefined;
      return told ? [{ method, path, told }] : [];
    }),
  );
  const usual = usualOf(described.map(({ told }) => told.responses ?? {}));
  return described.map(({ method, path, told }) => ({
    ...operationOf(origin, method, path, told),
    answers: answersOf(told.responses ?? {}, shared, usual),
  }));
}

/** Whether all words of the query occur in method, path, tag, description or field names. */
export function isAbout(operation: Operation, query: string): boolean {
  const { method, path, tag, description, fields } = operation;
  const text = [method, path, tag, description, ...fields.map(({ name }) => name)].join(" ").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function operationOf(
  origin: string,
  method: string,
  path: string,
  described: Described,
): Omit<Operation, "answers"> {
  const parameters = described.parameters ?? [];
  const [type, content] = Object.entries(described.requestBody?.content ?? {})[0] ?? [];
  const body = content?.schema;
  const order = ["path", "query", "header"];
  const fields: Field[] = [...parameters]
    .sort((a, b) => order.indexOf(a.in) - order.indexOf(b.in))
    .map(({ name, in: place, required = false, description, schema = {} }) => ({
      name,
      place,
      type: typeOf(schema),
      required,
      description: description ?? schema.description ?? "",
      records: namesIn(schema),
    }));
  if (body) {
    const place = body.items ? "body, each row" : "body";
    fields.push(...membersOf(body.items ?? body).map((member) => ({ ...member, place })));
  }
  const proof = proofOf(described.security ?? []);
  const sample = body && sampleOf(body);
  return {
    id: `${method}${path.replaceAll(/[^A-Za-z0-9]+/g, "-")}`.replace(/-$/, "").toLowerCase(),
    tag: described.tags?.[0] ?? "api",
    method: method.toUpperCase(),
    path,
    description: described.description ?? "",
    proof,
    fields,
    command: commandOf({ address: addressOf(origin, path, parameters), method, proof, type, sample }),
  };
}

/** What any one of these security requirements needs; an empty one needs nothing. */
function proofOf(security: readonly object[]): Proof {
  const schemes = security.flatMap(Object.keys);
  if (schemes.length === 0) return "none";
  if (schemes.includes("basic")) return "application";
  return security.some((one) => Object.keys(one).length === 0) ? "maybe token" : "token";
}

/** The address with 1 for each identifier, and its required query parameters. */
function addressOf(origin: string, path: string, parameters: NonNullable<Described["parameters"]>): string {
  const filled = path.replaceAll(/\{[^}]+\}/g, "1");
  const needed = parameters.filter((one) => one.in === "query" && one.required);
  const query = needed.map(
    ({ name, schema }) => `${name}=${encodeURIComponent(String(sampleOf(schema ?? {})))}`,
  );
  return `${origin}${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

interface Call {
  address: string;
  method: string;
  proof: Proof;
  type: string | undefined;
  sample: unknown;
}

function commandOf({ address, method, proof, type, sample }: Call): string {
  const parts = [method === "get" ? "curl" : `curl --request ${method.toUpperCase()}`];
  if (proof === "application") parts.push('--user "$CLIENT_ID:$CLIENT_SECRET"');
  else if (proof !== "none") parts.push('--header "Authorization: Bearer $TOKEN"');
  if (sample && type === "application/json") {
    parts.push('--header "Content-Type: application/json"', `--data ${shellQuoted(JSON.stringify(sample))}`);
  } else if (isObject(sample)) {
    for (const [name, value] of Object.entries(sample))
      parts.push(`--data-urlencode ${shellQuoted(`${name}=${value}`)}`);
  }
  parts.push(shellQuoted(address));
  return parts.join(" \\\n  ");
}
