/** Creates the HTTP server of all routes: request ids, limits, body parsers, security headers, checked parameters. */
import { randomUUID } from "node:crypto";
import fastifyCookie from "@fastify/cookie";
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from "fastify";
import type { Answers, Bodies } from "./answers.ts";
import { boundedJson } from "./bounded-json.ts";
import { CLOSED_POLICY } from "./closed-policy.ts";
import { shedsOverload } from "./overload.ts";
import { checkParameters } from "./parameters.ts";
import { originForm, plainAddress } from "./plain-address.ts";
import { plainIp } from "./plain-ip.ts";
import type { Platform } from "./platform.ts";
import { ParameterProblem, Problem } from "./problem.ts";
import { headerLines } from "./raw-headers.ts";
import { routedAddress } from "./receiver-address.ts";
import type { TSchema } from "./schema.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Scopes of which a token needs one; set by `needsScope`, copied to the OpenAPI document. */
    scopes?: readonly string[];
    /** Responses for the OpenAPI document; set by `answering`. */
    answers?: Answers;
    /** Whether the route limits its requests itself, not by token or address (decision 0070). */
    limitsItself?: boolean;
    /** How the route is called without a scope: with any token, or by an application; for the OpenAPI document. */
    proof?: "token" | "application";
    /** Bodies that the route parses itself, by media type, for the OpenAPI document. */
    takes?: Bodies;
    /** Request headers that the route reads, with their descriptions for the OpenAPI document; set by `answering`. */
    reads?: Readonly<Record<string, string>>;
    /** A request without any token is anonymous instead of refused; set by `mayHaveScope`. */
    allowsNobody?: boolean;
    /** Left out of the OpenAPI document. */
    undocumented?: boolean;
    /** A page that another site may have opened in a popup window and waits for (decision 0123). */
    inPopup?: boolean;
    /** The route itself answers OPTIONS requests that ask whether CloudEvents may be delivered (`event-handshake.ts`). */
    takesEvents?: boolean;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const BODY_LIMIT_BYTES = 1024 * 1024;
export const URL_LIMIT_BYTES = 8 * 1024;
const SILENT_MS = 120_000;
const MAX_CONNECTIONS = 2000;
const PROBED = new Set(["/-/liveness", "/-/readiness", "/-/metrics"]);

/** Creates a server without routes. Its limits are those of decision 0006 (reference reliability E). */
export async function createServer({ config, log, isOverloaded }: Platform): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: false },
    // Set here and not by setValidatorCompiler, so that the framework's own validator and serializer are never loaded.
    schemaController: { compilersFactory: COMPILERS },
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1000 },
    // Not among the options of `http`, which the framework overrides with its own default: none.
    requestTimeout: 30_000,
    // Closes idle connections: a client that does not read would keep its response in memory. Streams send something more often.
    connectionTimeout: SILENT_MS,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    exposeHeadRoutes: true,
    rewriteUrl: ({ method, url = "/", headers }) =>
      routedAddress(method, plainAddress(originForm(url)), headers.accept ?? ""),
    frameworkErrors: (_error, request, reply) => answerUndecodable(request, reply as FastifyReply, config),
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.setSchemaErrorFormatter((errors) => errors[0] as unknown as Error);
  await app.register(fastifyCookie);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "buffer" }, readForm);
  app.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i, { parseAs: "buffer" }, readJson);
  setsCommonHeaders(app, config);
  // After the hook that sets the request id, before the body is read and the database asked.
  shedsOverload(app, isOverloaded, PROBED);
  logsResponses(app);
  return app;
}

type Secure = Pick<Platform["config"], "secure">;

/** The headers of every response; pages have a policy of their own. */
function commonHeaders({ id }: FastifyRequest, { secure }: Secure): Record<string, string> {
  return {
    "x-request-id": id,
    "x-content-type-options": "nosniff",
    "content-security-policy": CLOSED_POLICY,
    ...(secure ? { "strict-transport-security": "max-age=31536000" } : {}),
  };
}

/** Answers an address that the router cannot decode, before any hook runs. */
function answerUndecodable(request: FastifyRequest, reply: FastifyReply, config: Secure): void {
  reply.code(404).headers({ ...commonHeaders(request, config), "content-type": "application/json" });
  // As bytes, since the server adds a charset to JSON sent as text, which responses of the API do not have (contract §4).
  reply.send(Buffer.from('{"error":"404 Not Found"}'));
}

/** Sets the headers of every response, with the request id, and refuses addresses that no route can have. */
function setsCommonHeaders(app: FastifyInstance, config: Secure): void {
  app.addHook("onRequest", async (request, reply) => {
    storeClientAddress(request);
    reply.headers(commonHeaders(request, config));
    if (request.raw.url && request.raw.url.length > URL_LIMIT_BYTES) {
      throw new Problem("invalid", "The address is longer than 8 KiB");
    }
    // A proxy in front may have routed by the other one (RFC 9112 §3.2).
    if (headerLines(request, "host").length > 1) throw new Problem("invalid", "The request names two hosts");
    // No name contains NUL; without this message the author of the address would look for the fault elsewhere.
    if (request.url.split("?", 1)[0]?.includes("%00")) {
      throw new Problem("not_found", "404 Not Found - The address contains a NUL character (%00)");
    }
  });
}

/** Logs one line for every request, with its route and never its address. */
function logsResponses(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "-";
    // Probes and scrapers call every few seconds, which is not worth a line.
    request.log[PROBED.has(route) ? "debug" : "info"](
      {
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      "request",
    );
  });
}

/**
 * Stores the client's address while the socket still has one: it is lost when the client hangs up. If a proxy reports none, such
 * as `unknown`, the proxy's own address is used.
 */
function storeClientAddress(request: FastifyRequest): void {
  const told: string | undefined = request.ip;
  const address = plainIp(told ?? "") ?? request.raw.socket.remoteAddress ?? "";
  Object.defineProperty(request, "ip", { value: address, enumerable: true });
}

/**
 * Validates a part of a request. JSON keeps its types; values that came as text are converted to those of the schema (house
 * §2.7).
 */
function checkerOf({ schema, httpPart, method }: { schema: TSchema; httpPart?: string; method?: string }) {
  return (data: unknown) => {
    const checked = checkParameters(schema, data, {
      coerce: httpPart !== "body" || isForm(data),
      makesNew: httpPart === "body" && method === "POST",
    });
    if (!checked.faults) return { value: checked.value };
    // Nothing has a name that cannot be stored.
    const isAddress = httpPart === "params";
    return {
      error: isAddress ? new Problem("not_found", "404 Not Found") : new ParameterProblem(checked.faults),
    };
  };
}

/** Our validator and a plain serializer, in place of the framework's. */
export const COMPILERS = {
  buildValidator: () => checkerOf,
  buildSerializer: () => () => (data: unknown) => JSON.stringify(data),
} as unknown as NonNullable<NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]>;

const forms = new WeakSet<object>();

function isForm(data: unknown): boolean {
  return typeof data === "object" && data !== null && forms.has(data);
}

type Done = (error: Error | null, value?: unknown) => void;

function readForm(request: FastifyRequest, body: Buffer | string, done: Done) {
  try {
    done(null, parseForm(body as Buffer));
  } catch (error) {
    done(compressed(request) ?? (error as Error));
  }
}

/** More than any form of ours has; parsing a body full of short names would block the event loop for seconds. */
const MAX_FIELDS = 1000;

/**
 * Parses a form: repeated names become lists, and names with `[]` stay as they are.
 * @throws ParameterProblem for broken UTF-8 or percent-encoding, or more than 1,000 fields
 */
export function parseForm(body: Buffer): Record<string, unknown> {
  let text: string;
  try {
    text = utf8.decode(body);
    decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ParameterProblem(["The form is not valid UTF-8 or has a broken percent-encoding"]);
  }
  if (text.split("&", MAX_FIELDS + 1).length > MAX_FIELDS) {
    throw new ParameterProblem([`The form has more than ${MAX_FIELDS} fields`]);
  }
  const form: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) addToForm(form, name, value);
  return asForm(form);
}

/** Adds a field to a form without a prototype. */
export function addToForm(form: Record<string, unknown>, name: string, value: string): void {
  const before = form[name];
  if (before === undefined) form[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else form[name] = [before, value];
}

/** Marks members as read from text, so that they are converted to the types of the schema. */
export function asForm(members: Record<string, unknown>): Record<string, unknown> {
  forms.add(members);
  return members;
}

function readJson(request: FastifyRequest, body: Buffer | string, done: Done) {
  if (body.length === 0) return done(null, {});
  try {
    done(null, parseJson(body as Buffer));
  } catch (error) {
    done(compressed(request) ?? (error as Error));
  }
}

const COMPRESSED = /^\s*(?:x-)?(?:gzip|deflate|br|zstd|compress)\b/i;

/**
 * Returns the refusal of a compressed body, whose sender would otherwise look for a fault in their form or JSON (RFC 9110
 * §15.5.16); undefined if it is not compressed.
 */
export function compressed({ headers }: FastifyRequest): Problem | undefined {
  const coding = COMPRESSED.exec(headers["content-encoding"] ?? "")?.[0];
  if (coding === undefined) return undefined;
  const words = `415 Unsupported Media Type. Send it without Content-Encoding: ${coding.trim().toLowerCase()}.`;
  return new Problem("unsupported", words);
}

/**
 * Parses a JSON body.
 * @throws ParameterProblem for broken UTF-8, broken JSON or more than 100 levels; Problem too_large for more values than a million
 */
export function parseJson(body: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw new ParameterProblem(["The body is not valid JSON"]);
  }
  return boundedJson()(text);
}
