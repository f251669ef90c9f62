/** The routes by which Opsgenie's clients read the alerts that they opened. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { Alert } from "./alert.ts";
import { givenFingerprint } from "./fingerprint.ts";
import type { Receiver } from "./receive-delivery.ts";
import { type Authenticate, authenticatorOf, took } from "./routes-genie-key.ts";
import { opsgenieFilter, opsgeniePriority } from "./senders/opsgenie-query.ts";
import { findAlert } from "./store.ts";
import { listToldByTools, type ToldLine } from "./store-comments.ts";
import type { Endpoint } from "./store-integrations.ts";
import { countAlerts, listAlerts, queriesFor } from "./store-lists.ts";
import { findOpenNumber } from "./store-responses.ts";

const undocumented = { config: { undocumented: true } };

/** How many reads an integration may make per minute: listing alerts costs more than receiving one. */
const LOOKS_PER_MINUTE = 60;

/** A repeated parameter is a list. */
type Query = Readonly<Record<string, string | string[] | undefined>>;
type OfAlert = { Params: { identifier: string }; Querystring: Query };

/**
 * Registers `GET /opsgenie/v2/alerts`, `…/count`, `…/:identifier`, its `notes`, `logs` and `attachments`, each also with a
 * trailing slash. A key can read only what its own integration sent: it belongs to a tool, while reading all alerts needs a
 * person's role (contract-alerts, roles; decision 0186).
 */
export function opsgenieReads(app: FastifyInstance, receiver: Receiver): void {
  const authenticate = authenticatorOf(receiver, LOOKS_PER_MINUTE);
  for (const slash of ["", "/"]) {
    listRoutes(app, receiver.platform, authenticate, slash);
    alertRoutes(app, receiver.platform, authenticate, slash);
  }
}

function listRoutes(app: FastifyInstance, { db }: Platform, authenticate: Authenticate, slash: string): void {
  app.get<{ Querystring: Query }>(`/opsgenie/v2/alerts${slash}`, undocumented, async (request) => {
    const { id, projectId } = await authenticate(request);
    const { query } = request;
    const filter = { ...opsgenieFilter(termsOf(query)), integrationId: id };
    const page = { limit: numberOf(query, "limit", 20, 100), offset: numberOf(query, "offset", 0, 20_000) };
    const by = query.sort === "updatedAt" ? "updated_at" : "created_at";
    const order = { by, descending: query.order !== "asc" } as const;
    const range = { ...page, isBare: true };
    const alerts = await listAlerts(queriesFor(db, filter), projectId, filter, order, range);
    return { data: alerts.map(recordOf), ...ending(request) };
  });
  app.get<{ Querystring: Query }>(`/opsgenie/v2/alerts/count${slash}`, undocumented, async (request) => {
    const { id, projectId } = await authenticate(request);
    const filter = { ...opsgenieFilter(termsOf(request.query)), integrationId: id };
    const count = await countAlerts(queriesFor(db, filter), projectId, filter);
    return { data: { count }, ...ending(request) };
  });
}

function alertRoutes(
  app: FastifyInstance,
  { db }: Platform,
  authenticate: Authenticate,
  slash: string,
): void {
  const path = "/opsgenie/v2/alerts/:identifier";
  const alertOf = async (request: FastifyRequest<OfAlert>) =>
    findNamed(db, await authenticate(request), request.params.identifier, request.query.identifierType);
  app.get<OfAlert>(`${path}${slash}`, undocumented, async (request) => {
    const alert = await alertOf(request);
    const more = {
      description: alert.description ?? "",
      entity: alert.service ?? "",
      details: {},
      actions: [],
    };
    return { data: { ...recordOf(alert), ...more }, ...ending(request) };
  });
  for (const kind of ["notes", "logs"] as const) {
    app.get<OfAlert>(`${path}/${kind}${slash}`, undocumented, async (request) => {
      const { id } = await alertOf(request);
      const limit = numberOf(request.query, "limit", 100, 100);
      const ascending = request.query.order === "asc";
      const lines = await listToldByTools(db, id, { notes: kind === "notes", limit, ascending });
      return { data: lines.map((line) => lineOf(line, kind)), ...ending(request) };
    });
  }
  app.get<OfAlert>(`${path}/attachments${slash}`, undocumented, async (request) => {
    await alertOf(request);
    return { data: [], ...ending(request) };
  });
}

/**
 * Returns the alert of an identifier: its iid, or with the type `alias` its fingerprint as given by the sender.
 * @throws Problem not_found: there is none, another integration opened it, or it was a test
 */
async function findNamed(
  db: Db,
  endpoint: Endpoint,
  identifier: string,
  type: Query[string],
): Promise<Alert> {
  const iid =
    type === "alias"
      ? await numberOfAlias(db, endpoint, identifier)
      : /^\d{1,9}$/.test(identifier) && Number(identifier);
  const alert = iid ? await findAlert(db, endpoint.projectId, iid, { isBare: true }) : undefined;
  if (alert?.integrationId === endpoint.id && !alert.test) return alert;
  throw new Problem("not_found", "Alert does not exist");
}

async function numberOfAlias(db: Db, { projectId }: Endpoint, alias: string): Promise<number | undefined> {
  const given = givenFingerprint(alias.toWellFormed().replaceAll("\0", "\ufffd"));
  return given && findOpenNumber(db, projectId, given.hash.toString("hex"));
}

/** Returns the search terms; if `query` is repeated, an alert must match all of them. */
function termsOf({ query }: Query): string {
  return [query ?? []].flat().join(" AND ");
}

/** Returns a whole number of the query from 0 to `most`, or `otherwise` if it is absent. @throws FieldProblem unprocessable */
function numberOf(query: Query, name: string, otherwise: number, most: number): number {
  const given = query[name];
  if (given === undefined) return otherwise;
  const found = typeof given === "string" && /^\d{1,6}$/.test(given) ? Number(given) : -1;
  if (found >= 0 && found <= most) return found;
  throw new FieldProblem({ [name]: [`must be a number of at most ${most}`] }, "unprocessable");
}

function ending(request: FastifyRequest) {
  return { took: took(request), requestId: request.id };
}

/** Returns a line of an alert's activity in Opsgenie's format; `offset` identifies it. */
function lineOf({ id, body, createdAt }: ToldLine, kind: "notes" | "logs") {
  const said = kind === "notes" ? { note: body } : { log: body, type: "system" };
  return { ...said, owner: "System", createdAt: createdAt.toISOString(), offset: String(id) };
}

/** Returns an alert in Opsgenie's format, as far as the fields exist here; people are not named to a tool. */
function recordOf(alert: Alert) {
  return {
    id: String(alert.iid),
    tinyId: String(alert.iid),
    alias: alert.fingerprintGiven ?? "",
    message: alert.title,
    status: alert.status === "resolved" ? "closed" : "open",
    acknowledged: alert.status === "acknowledged",
    isSeen: alert.status !== "triggered",
    tags: [],
    snoozed: false,
    count: alert.events,
    lastOccurredAt: alert.lastSeenAt.toISOString(),
    createdAt: alert.createdAt.toISOString(),
    updatedAt: alert.updatedAt.toISOString(),
    source: alert.monitoringTool ?? "",
    priority: opsgeniePriority(alert.severity),
    integration: { id: String(alert.integrationId), name: alert.integrationName ?? "", type: "API" },
  };
}
