/** Builds the OpenAPI document from the registered routes. */
import swagger from "@fastify/swagger";
import fastify, { type HTTPMethods, type RouteOptions } from "fastify";
import { unnamed } from "./answer-shapes.ts";
import { type Answer, type Answers, type Bodies, refusal } from "./answers.ts";
import { COMPILERS } from "./http.ts";
import Type, { type TSchema } from "./schema.ts";

/** The parts of a route that the document needs. */
export type DescribedRoute = Pick<RouteOptions, "url" | "schema" | "config"> & { method: HTTPMethods };

/** What of a route its schema in the document is made of; undefined members are as good as absent ones. */
type RouteShape = { [Part in "schema" | "config"]: DescribedRoute[Part] | undefined } & { url: string };

const BY_TOKEN = {
  bearer: { type: "http", scheme: "bearer", description: "An OAuth or personal access token" },
  dpop: {
    type: "http",
    scheme: "dpop",
    description:
      "An OAuth access token that is bound to a key; the header `DPoP` carries the proof of possession (RFC 9449)",
  },
  query: { type: "apiKey", in: "query", name: "access_token" },
  personal: { type: "apiKey", in: "header", name: "PRIVATE-TOKEN" },
} as const;

/** The security requirements of a route that takes a token in any of these ways. */
const TOKENS = Object.keys(BY_TOKEN).map((scheme) => ({ [scheme]: [] }));

/** Those of a route at which applications authenticate: their credentials may also be in the body (RFC 6749 §2.3.1). */
const CLIENTS = [{ basic: [] }, {}];

/** The document apart from its operations: what it is, and the ways to send a token or credentials. */
const HEAD = {
  openapi: "3.1.0",
  info: {
    title: "Gatehouse",
    version: "4",
    description:
      "OAuth2 provider, alerts and events, with requests and responses shaped like those of the GitLab v4 API.",
  },
  components: {
    securitySchemes: {
      ...BY_TOKEN,
      basic: {
        type: "http",
        scheme: "basic",
        description: "Application ID and Client Secret, each form-encoded (RFC 6749 §2.3.1)",
      },
    },
  },
} as const;

const TOO_LONG = "The address is longer than 8 KiB";
const AWAY = "The service is overloaded or stopping, or its database or disk is unavailable";
const refusedForNow = (schema?: TSchema): Answers => ({
  429: refusal("Too many requests", schema),
  503: refusal(AWAY, schema),
});
const refusedAs = (code: string) => unnamed({ error: Type.Enum([code]), error_description: Type.String() });
const OF_OAUTH: Answers = {
  400: refusal(TOO_LONG, refusedAs("invalid_request")),
  ...refusedForNow(refusedAs("temporarily_unavailable")),
};

/**
 * Refusals that every operation may answer, by the first segment of its path; an operation with a reason of its own describes that
 * instead.
 */
const EVERYWHERE: Readonly<Record<string, Answers>> = {
  api: refusedForNow(),
  oauth: OF_OAUTH,
  ".well-known": OF_OAUTH,
  "-": { 400: refusal(TOO_LONG) },
};

/** Returns the document as UTF-8 JSON: that of the framework for an app of these routes, with their responses added. */
export async function writeDocument(routes: readonly DescribedRoute[], publicUrl: string): Promise<Buffer> {
  const answers = new Map<string, Answers>();
  /** Operations whose body is optional. */
  const withoutBody = new Set<string>();
  const app = fastify({ exposeHeadRoutes: false, schemaController: { compilersFactory: COMPILERS } });
  await app.register(swagger, {
    hideUntagged: false,
    openapi: { ...HEAD, servers: [{ url: publicUrl }] },
    transform: ({ schema, url, route }) => {
      const { config } = route;
      const operation = `${String(route.method).toLowerCase()} ${pathOf(url)}`;
      if (config?.answers) answers.set(operation, config.answers);
      if (Type.IsOptional(schema?.body)) withoutBody.add(operation);
      return { schema: describedSchema({ url, schema, config }), url };
    },
    transformObject: (made) => {
      if (!("openapiObject" in made)) return made.swaggerObject;
      describeAnswers(made.openapiObject as Described, answers, withoutBody);
      return made.openapiObject;
    },
  });
  for (const route of routes) app.route({ ...route, handler: () => undefined });
  await app.ready();
  return Buffer.from(JSON.stringify(app.swagger()));
}

/** The schema of a route with what its guard requires, the headers that it reads, and its tag. */
function describedSchema({ url, schema, config }: RouteShape): Record<string, unknown> {
  const described = withoutOwnKeywords({ ...schema }) as Record<string, unknown>;
  const scopes = config?.scopes;
  if (scopes) {
    const mayBeLeftOut = config.allowsNobody ?? false;
    described.security = [...(mayBeLeftOut ? [{}] : []), ...TOKENS];
    described.description = [
      schema?.description,
      `Scopes, any one of: ${scopes.join(", ")}.`,
      mayBeLeftOut && "A token may be left out; the response then contains public data only.",
    ]
      .filter(Boolean)
      .join(" ");
  }
  if (config?.proof) described.security = config.proof === "token" ? TOKENS : CLIENTS;
  if (config?.takes) described.body = withoutOwnKeywords({ content: mediaOf(config.takes) });
  if (config?.reads) described.headers = headersOf(config.reads);
  described.tags ??= [tagOf(url)];
  return described;
}

function mediaOf(bodies: Bodies) {
  return Object.fromEntries(Object.entries(bodies).map(([type, schema]) => [type, { schema }]));
}

/** The parts of the document that are filled in here. */
interface Described {
  components?: { schemas?: Record<string, unknown>; responses?: Record<string, unknown> };
  paths?: Record<string, Record<string, DescribedOperation>>;
}

interface DescribedOperation {
  responses?: Record<string, unknown>;
  requestBody?: { required?: boolean };
}

function pathOf(url: string): string {
  return url.replace(/:(\w+)/g, "{$1}");
}

/** Adds the responses of every operation and the named schemas, and marks optional bodies. */
function describeAnswers(
  made: Described,
  answers: ReadonlyMap<string, Answers>,
  withoutBody: ReadonlySet<string>,
): void {
  const shapes: Record<string, unknown> = {};
  for (const [path, operations] of Object.entries(made.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      const described = { ...EVERYWHERE[path.split("/")[1] ?? ""], ...answers.get(`${method} ${path}`) };
      if (operation.requestBody) operation.requestBody.required = !withoutBody.has(`${method} ${path}`);
      operation.responses = Object.fromEntries(
        Object.entries(described).map(([status, answer]) => [status, responseOf(status, answer, shapes)]),
      );
    }
  }
  const responses = sharedResponses(Object.values(made.paths ?? {}).flatMap((one) => Object.values(one)));
  made.components = { ...made.components, responses, schemas: { ...made.components?.schemas, ...shapes } };
}

/** Refusals that at least this many operations share are written to the document once. */
const SHARED = 3;

/**
 * Moves the refusals that many operations share into components, named `Status404`, `Status404b` and so on, and refers to them.
 */
function sharedResponses(operations: readonly DescribedOperation[]): Record<string, unknown> {
  const all = operations.flatMap(({ responses = {} }) => Object.entries(responses));
  const uses = new Map<string, number>();
  for (const one of all) uses.set(JSON.stringify(one), (uses.get(JSON.stringify(one)) ?? 0) + 1);
  const names = new Map<string, string>();
  const shared: Record<string, unknown> = {};
  for (const [status, answer] of all) {
    const text = JSON.stringify([status, answer]);
    if (status < "300" || (uses.get(text) ?? 0) < SHARED || names.has(text)) continue;
    const others = Object.keys(shared).filter((name) => name.startsWith(`Status${status}`)).length;
    const name = `Status${status}${others === 0 ? "" : String.fromCharCode("a".charCodeAt(0) + others)}`;
    names.set(text, name);
    shared[name] = answer;
  }
  for (const operation of operations) {
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses ?? {}).map(([status, answer]) => {
        const name = names.get(JSON.stringify([status, answer]));
        return [status, name ? { $ref: `#/components/responses/${name}` } : answer];
      }),
    );
  }
  return shared;
}

const LATER = { "Retry-After": "seconds after which to try again" };

/** The headers that every response with one of these statuses may have (contract §4). */
const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  401: { "WWW-Authenticate": "accepted authentication schemes, and the error if a token was sent" },
  403: { "WWW-Authenticate": "required scopes, if the token lacks them" },
  429: LATER,
  503: LATER,
};

/** The schema of request headers, for the document only: routes read the headers themselves. */
function headersOf(reads: Readonly<Record<string, string>>) {
  const headers = Object.entries(reads).map(([name, description]) => [name, { type: "string", description }]);
  return { type: "object", properties: Object.fromEntries(headers) };
}

function responseOf(
  status: string,
  { description, schema, mediaType = "application/json", others, headers = {} }: Answer,
  shapes: Record<string, unknown>,
) {
  const described = Object.entries({ ...HEADERS[status], ...headers }).map(([name, words]) => [
    name,
    { description: words, schema: { type: "string" } },
  ]);
  return {
    description,
    ...(described.length > 0 && { headers: Object.fromEntries(described) }),
    ...(schema && { content: contentOf({ [mediaType]: schema, ...others }, shapes) }),
  };
}

function contentOf(bodies: Bodies, shapes: Record<string, unknown>) {
  return named(mediaOf(bodies), shapes);
}

/** Replaces parts of a schema that have an `$id` by references. */
function named(value: unknown, shapes: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((inner) => named(inner, shapes));
  if (value === null || typeof value !== "object") return value;
  const { $id, ...kept } = value as Record<string, unknown>;
  const plain = Object.fromEntries(Object.entries(kept).map(([name, inner]) => [name, named(inner, shapes)]));
  if (typeof $id !== "string") return plain;
  shapes[$id] = plain;
  return { $ref: `#/components/schemas/${$id}` };
}

/** Schema keywords of our own validator, which the document leaves out. */
const OWN_KEYWORDS = new Set(["badValue", "clamp", "emptyToo", "nested", "orText", "unlessTrue"]);

function withoutOwnKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwnKeywords);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([name]) => !OWN_KEYWORDS.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutOwnKeywords(inner)]));
}

function tagOf(url: string): string {
  if (!url.startsWith("/api/v4/")) return url.startsWith("/-/") ? "service" : "oauth";
  const words = url.slice("/api/v4/".length).split("/");
  const nested = words.slice(1).find((word) => !word.startsWith(":"));
  return (words[0] === "projects" && nested ? nested : words[0]) ?? "api";
}
