/** The addresses by which Opsgenie's clients look at their alerts, and at what became of their requests. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { createBuckets } from "../platform/rate-limit.ts";
import type { Alert } from "./alert.ts";
import { signedEndpoint } from "./authenticate-integration.ts";
import { givenFingerprint } from "./fingerprint.ts";
import { DOOR_HEADER } from "./read-delivery.ts";
import { readReceipt } from "./read-receipt.ts";
import { isReceiptId } from "./receipt.ts";
import type { Receiver } from "./receive-delivery.ts";
import { genieKey, knownBy, took } from "./routes-genie-key.ts";
import { opsgenieFilter, opsgeniePriority } from "./senders/opsgenie-query.ts";
import { findAlert } from "./store.ts";
import { listToldByTools, type ToldLine } from "./store-comments.ts";
import type { Endpoint } from "./store-integrations.ts";
import { countAlerts, listAlerts, queriesFor } from "./store-lists.ts";
import { findReceipt } from "./store-receipts.ts";
import { findOpenNumber } from "./store-responses.ts";

const undocumented = { config: { undocumented: true } };

/** How often an integration may look at its alerts in a minute: a list of them is more work than an alert. */
const LOOKS_PER_MINUTE = 60;

/** Of what stands there several times there are several. */
type Query = Readonly<Record<string, string | string[] | undefined>>;
type OfAlert = { Params: { identifier: string }; Querystring: Query };

/**
 * `GET /opsgenie/v2/alerts`, `…/count`, `…/:identifier`, its `notes`, `logs` and `attachments`, and `…/requests/:id`. A key is shown what its own integration sent: it
 * belongs to a tool, and alerts are for people with a role (contract-alerts, roles; decision 0186).
 */
export function opsgenieReads(app: FastifyInstance, receiver: Receiver): void {
  const { db } = receiver.platform;
  const looks = receiver.refusals && createBuckets(LOOKS_PER_MINUTE);
  const known = async (request: FastifyRequest): Promise<Endpoint> => {
    const candidates = await knownBy(receiver, request, genieKey(request));
    const nowSeconds = Date.now() / 1000;
    const signed = { raw: Buffer.alloc(0), headers: request.headers, nowSeconds };
    const endpoint = signedEndpoint(receiver.platform, candidates, signed);
    const { waitSeconds } = looks?.take(`${endpoint.id}`, performance.now() / 1000) ?? { waitSeconds: 0 };
    if (waitSeconds === 0) return endpoint;
    throw new Problem("too_many", `429 Too Many Requests. Try again in ${waitSeconds} s.`, {
      retryAfterSeconds: waitSeconds,
    });
  };
  for (const slash of ["", "/"]) {
    app.get<{ Querystring: Query }>(`/opsgenie/v2/alerts${slash}`, undocumented, async (request) => {
      const { id, projectId } = await known(request);
      const { query } = request;
      const filter = { ...opsgenieFilter(termsOf(query)), integrationId: id };
      const page = { limit: numberOf(query, "limit", 20, 100), offset: numberOf(query, "offset", 0, 20_000) };
      const by = query.sort === "updatedAt" ? "updated_at" : "created_at";
      const order = { by, descending: query.order !== "asc" } as const;
      const alerts = await listAlerts(queriesFor(db, filter), projectId, filter, order, {
        ...page,
        isBare: true,
      });
      return { data: alerts.map(recordOf), ...ending(request) };
    });
    app.get<{ Querystring: Query }>(`/opsgenie/v2/alerts/count${slash}`, undocumented, async (request) => {
      const { id, projectId } = await known(request);
      const filter = { ...opsgenieFilter(termsOf(request.query)), integrationId: id };
      const count = await countAlerts(queriesFor(db, filter), projectId, filter);
      return { data: { count }, ...ending(request) };
    });
    app.get<OfAlert>(`/opsgenie/v2/alerts/:identifier${slash}`, undocumented, async (request) => {
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
      app.get<OfAlert>(`/opsgenie/v2/alerts/:identifier/${kind}${slash}`, undocumented, async (request) => {
        const { id } = await alertOf(request);
        const limit = numberOf(request.query, "limit", 100, 100);
        const ascending = request.query.order === "asc";
        const lines = await listToldByTools(db, id, { notes: kind === "notes", limit, ascending });
        return { data: lines.map((line) => lineOf(line, kind)), ...ending(request) };
      });
    }
    app.get<OfAlert>(`/opsgenie/v2/alerts/:identifier/attachments${slash}`, undocumented, async (request) => {
      await alertOf(request);
      return { data: [], ...ending(request) };
    });
    app.get<{ Params: { id: string } }>(
      `/opsgenie/v2/alerts/requests/:id${slash}`,
      undocumented,
      async (request) => {
        const [endpoint] = await knownBy(receiver, request, genieKey(request));
        return requestRecord(receiver, request, endpoint);
      },
    );
  }

  /** The alert that is asked for. @throws Problem not_found: there is none, or another integration opened it */
  async function alertOf(request: FastifyRequest<OfAlert>): Promise<Alert> {
    const endpoint = await known(request);
    const { identifier } = request.params;
    const { identifierType: type } = request.query;
    const iid =
      type === "alias"
        ? await numberOfAlias(endpoint, identifier)
        : /^\d{1,9}$/.test(identifier) && Number(identifier);
    const alert = iid ? await findAlert(db, endpoint.projectId, iid, { isBare: true }) : undefined;
    if (alert?.integrationId === endpoint.id && !alert.test) return alert;
    throw new Problem("not_found", "Alert does not exist");
  }

  async function numberOfAlias({ projectId }: Endpoint, alias: string): Promise<number | undefined> {
    const given = givenFingerprint(alias.toWellFormed().replaceAll("\0", "\ufffd"));
    return given && findOpenNumber(db, projectId, given.hash.toString("hex"));
  }
}

/** Several narrow each other. */
function termsOf({ query }: Query): string {
  return [query ?? []].flat().join(" AND ");
}

/** @throws FieldProblem unprocessable */
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

/** A line of an alert's activity in Opsgenie's words; by its `offset` it is told apart. */
function lineOf({ id, body, createdAt }: ToldLine, kind: "notes" | "logs") {
  const said = kind === "notes" ? { note: body } : { log: body, type: "system" };
  return { ...said, owner: "System", createdAt: createdAt.toISOString(), offset: String(id) };
}

/** An alert in Opsgenie's words, as far as it has them; people are not named to a tool. */
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

const STATUS_WORDS: Readonly<Record<string, string>> = {
  created: "Created alert",
  counted: "Deduplicated alert",
  resolved: "Closed alert",
  acknowledged: "Acknowledged alert",
  noted: "Note added",
  orphan: "Alert does not exist",
  nothing: "Nothing to change",
};

/** Of what is `noted`, by what was asked for. */
const NOTED_WORDS: Readonly<Record<string, string>> = { unacknowledge: "UnAcknowledged alert" };

/** Of what names a person, whether or not they see alerts here: a key is not told who does (decision 0186). */
const ASSIGNMENT_WORDS = "Request for a person processed";

/** What became of a request: it was decided before it was answered. @throws Problem not_found */
async function requestRecord({ platform }: Receiver, request: FastifyRequest, endpoint: Endpoint) {
  const { id } = request.params as { id: string };
  const receipt = isReceiptId(id) ? await findReceipt(platform.db, endpoint.projectId, id) : undefined;
  if (receipt?.integrationId !== endpoint.id) throw new Problem("not_found", "Request not found");
  const reading = await readReceipt(receipt);
  const { decision } = receipt;
  const isSuccess = decision !== "refused" && decision !== "orphan";
  const names = reading?.reports.some(({ person }) => person !== undefined) && isSuccess;
  const action = receipt.headers[DOOR_HEADER]?.split("/")[1] ?? "create";
  return {
    data: {
      success: isSuccess,
      isSuccess,
      action,
      processedAt: receipt.receivedAt.toISOString(),
      integrationId: String(endpoint.id),
      status: names
        ? ASSIGNMENT_WORDS
        : (decision === "noted" && NOTED_WORDS[action]) || (STATUS_WORDS[decision] ?? decision),
      alertId: String(receipt.alertIids[0] ?? ""),
      alias: reading?.dedupKey ?? "",
    },
    took: took(request),
    requestId: receipt.id,
  };
}
