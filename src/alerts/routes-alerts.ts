/** The API of alerts and of the receipts behind them (contract-alerts, list, roles, receipts). */
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { anyCallerOf, callerOf, needsScope, needsScopeAtPlace, passGuard } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { idIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { type Alert, FETCHED_BYTES } from "./alert.ts";
import { changeAlert } from "./change-alert.ts";
import { exportAlerts } from "./export-alerts.ts";
import { needsScopeInProject } from "./needs-scope-in-project.ts";
import { readPayloads } from "./read-payloads.ts";
import { readReceipt } from "./read-receipt.ts";
import { readReceipts } from "./read-receipts.ts";
import { isReceiptId } from "./receipt.ts";
import { replayReceipt } from "./replay-receipt.ts";
import { findAlert } from "./store.ts";
import { countAlerts, countByStatus, listAlerts, queriesFor } from "./store-lists.ts";
import { countReceipts, findReceipt, listReceiptSizes } from "./store-receipts.ts";
import {
  AlertBody,
  AlertParameters,
  AlertsQuery,
  alertFilterOf,
  alertOrderOf,
  alertRecord,
  type ItemParameters,
  ReceiptParameters,
  ReceiptsQuery,
  ReplayBody,
  receiptRecord,
  replayRecord,
} from "./wire.ts";
import {
  ALERT_ANSWERS,
  ALERT_COUNTS_ANSWERS,
  ALERT_EXPORT_ANSWERS,
  ALERTS_ANSWERS,
  CHANGED_ALERT_ANSWERS,
} from "./wire-answers-alerts.ts";
import { RECEIPT_ANSWERS, RECEIPTS_ANSWERS, REPLAY_ANSWERS } from "./wire-answers-receipts.ts";
import { CountsQuery } from "./wire-counts.ts";
import { ExportQuery, exportHeaders } from "./wire-export.ts";

type InProject = { Params: Static<typeof ProjectParameters> };
type OfAlert = { Params: ItemParameters };

export function alertRoutes(app: FastifyInstance, platform: Platform): void {
  listRoutes(app, platform);
  itemRoutes(app, platform);
  receiptRoutes(app, platform);
}

function listRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = needsScopeAtPlace(platform, "read_api", "api");
  app.get<InProject & { Querystring: AlertsQuery }>(
    "/projects/:id/alert_management_alerts",
    { ...answering(reads, ALERTS_ANSWERS), schema: { params: ProjectParameters, querystring: AlertsQuery } },
    async (request, reply) => {
      const project = await projectOf(platform, request);
      const page = pageOf(request.query);
      const filter = alertFilterOf(request.query);
      const range = rowsOf(page);
      const queries = queriesFor(db, filter, range.offset);
      const [alerts, total] = await Promise.all([
        listAlerts(queries, project.id, filter, alertOrderOf(request.query.sort), range),
        countAlerts(queries, project.id, filter),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      const recordOf = (alert: Alert) => alertRecord(alert, project.fullPath, config.publicUrl);
      if (alerts.every(({ payload }) => payload !== null)) return alerts.map(recordOf);
      const records = alertRecords(platform, alerts, recordOf);
      return reply.header("content-type", "application/json").send(Readable.from(listOf(records)));
    },
  );
  app.get<InProject & { Querystring: ExportQuery }>(
    "/projects/:id/alert_management_alerts/export",
    {
      ...answering(reads, ALERT_EXPORT_ANSWERS),
      schema: { params: ProjectParameters, querystring: ExportQuery },
    },
    async (request, reply) => {
      const project = await projectOf(platform, request);
      const { format = "json", ...query } = request.query;
      const pieces = exportAlerts(platform, project.id, alertFilterOf(query), format, {
        recordOf: (alert) => alertRecord(alert, project.fullPath, config.publicUrl),
        mayGoOn: async () => {
          // Token and role may end while a long file is sent.
          await passGuard(reads, request);
          await projectOf(platform, request);
        },
      });
      reply.headers(exportHeaders(format, project.fullPath));
      // HEAD reads no alerts, and has no Content-Length, as GET has none.
      return reply.send(Readable.from(request.method === "HEAD" ? [] : pieces));
    },
  );
  app.get<InProject & { Querystring: CountsQuery }>(
    "/projects/:id/alert_management_alerts/counts",
    {
      ...answering(reads, ALERT_COUNTS_ANSWERS),
      schema: { params: ProjectParameters, querystring: CountsQuery },
    },
    async (request) => {
      const project = await projectOf(platform, request);
      const filter = alertFilterOf(request.query);
      return countByStatus(queriesFor(db, filter), project.id, filter);
    },
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const path = "/projects/:id/alert_management_alerts/:iid";
  app.get<OfAlert>(
    path,
    {
      ...answering(needsScopeAtPlace(platform, "read_api", "api"), ALERT_ANSWERS),
      schema: { params: AlertParameters },
    },
    async (request) => {
      const project = await projectOf(platform, request);
      const alert = await findAlert(db, project.id, idIn(request.params.iid));
      if (!alert) throw new Problem("not_found", "404 Alert Not Found");
      return alertRecord(alert, project.fullPath, config.publicUrl);
    },
  );
  app.put<OfAlert & { Body: AlertBody }>(
    path,
    {
      ...answering(needsScopeInProject(platform, "api"), CHANGED_ALERT_ANSWERS),
      schema: { params: AlertParameters, body: AlertBody },
    },
    async (request) => {
      const caller = callerOf(request);
      const project = await projectFor(db, caller, request.params.id, "developer");
      const alert = await changeAlert(platform, caller.id, project, idIn(request.params.iid), {
        status: request.body.status,
        assigneeIds: request.body.assignee_ids,
      });
      return alertRecord(alert, project.fullPath, config.publicUrl);
    },
  );
}

function receiptRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = needsScope(platform, "read_api", "api");
  app.get<InProject & { Querystring: Static<typeof ReceiptsQuery> }>(
    "/projects/:id/alert_receipts",
    {
      ...answering(reads, RECEIPTS_ANSWERS),
      schema: { params: ProjectParameters, querystring: ReceiptsQuery },
    },
    async (request, reply) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "maintainer");
      const page = pageOf(request.query);
      const { integration_id: integrationId, decision, alert_iid: alertIid } = request.query;
      const filter = { integrationId, decision, alertIid };
      const [sizes, total] = await Promise.all([
        listReceiptSizes(db.pooled, project.id, rowsOf(page), filter),
        countReceipts(db.pooled, project.id, filter),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      const records = receiptRecords(platform, project.id, sizes);
      const bytes = sizes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      if (bytes <= FETCHED_BYTES) return allOf(records);
      return reply.header("content-type", "application/json").send(Readable.from(listOf(records)));
    },
  );
  app.get<{ Params: Static<typeof ReceiptParameters> }>(
    "/projects/:id/alert_receipts/:receipt_id",
    { ...answering(reads, RECEIPT_ANSWERS), schema: { params: ReceiptParameters } },
    async (request) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "maintainer");
      const found = await receiptFor(platform, project.id, request.params.receipt_id);
      return receiptRecord(found, await readReceipt(found));
    },
  );
  app.post<{ Params: Static<typeof ReceiptParameters>; Body: ReplayBody }>(
    "/projects/:id/alert_receipts/:receipt_id/replay",
    {
      ...answering(needsScope(platform, "api"), REPLAY_ANSWERS),
      schema: { params: ReceiptParameters, body: ReplayBody },
    },
    async (request, reply) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "maintainer");
      const receipt = await receiptFor(platform, project.id, request.params.receipt_id);
      const dryRun = request.body?.dry_run ?? false;
      return reply.send(replayRecord(await replayReceipt(platform, receipt, dryRun, Date.now())));
    },
  );
}

async function* alertRecords<T>({ db }: Platform, alerts: Alert[], recordOf: (alert: Alert) => T) {
  for await (const alert of readPayloads(db.pooled, alerts, { withFirst: true })) yield recordOf(alert);
}

async function* receiptRecords(platform: Platform, ...page: [number, { id: string; sizeBytes: number }[]]) {
  for await (const { receipt, reading } of readReceipts(platform, ...page)) {
    yield receiptRecord(receipt, reading);
  }
}

async function allOf<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
}

/** Yields the chunks of a JSON list that is too large to hold in memory. */
async function* listOf(records: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = "[";
  for await (const record of records) {
    yield before + JSON.stringify(record);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

async function receiptFor({ db }: Platform, projectId: number, id: string) {
  const found = isReceiptId(id) ? await findReceipt(db.pooled, projectId, id) : undefined;
  if (!found) throw new Problem("not_found", "404 Receipt Not Found");
  return found;
}

function projectOf(platform: Platform, request: FastifyRequest<InProject>) {
  return projectFor(platform.db, anyCallerOf(request), request.params.id, "developer");
}
