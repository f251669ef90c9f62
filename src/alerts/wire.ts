/** Requests about alerts and receipts, and their records on the API (contract §3; contract-alerts). */
import { authorRecord } from "../accounts/wire.ts";
import type { Described } from "../platform/answers.ts";
import { pageParameters } from "../platform/pagination.ts";
import { numbers } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { ALERT_STATUSES, type Alert } from "./alert.ts";
import { fingerprintText } from "./fingerprint.ts";
import { DECISIONS, type Receipt } from "./receipt.ts";
import type { Replay } from "./replay-receipt.ts";
import type { Reading } from "./report.ts";
import { SEVERITIES } from "./severity.ts";
import { ALERT_SORTS, type AlertFilter, type AlertOrder, type AlertSort } from "./store-lists.ts";
import type { ALERT } from "./wire-answers-alerts.ts";
import type { READING, RECEIPT, REPLAY } from "./wire-answers-receipts.ts";

const itemParameters = (what: string) =>
  Type.Object({
    ...ProjectParameters.properties,
    iid: Type.String({ description: `number of the ${what} within its project (\`iid\`)` }),
  });
export const AlertParameters = itemParameters("alert");
export const IncidentParameters = itemParameters("incident");
export type ItemParameters = Static<typeof AlertParameters>;

/** For queries of alerts and of receipts. */
const integrationId = Type.Optional(
  Type.Integer({ minimum: 1, description: "only items received by the integration with this id" }),
);

const SORTS = ALERT_SORTS.flatMap((word) => [`${word}_asc`, `${word}_desc`]);

export const AlertsQuery = Type.Object({
  status: Type.Optional(
    Type.Array(Type.Enum([...ALERT_STATUSES]), {
      description: "only alerts with these statuses, comma-separated",
    }),
  ),
  severity: Type.Optional(
    Type.Array(Type.Enum([...SEVERITIES]), {
      description: "only alerts with these severities, comma-separated",
    }),
  ),
  environment: Type.Optional(Type.String({ description: "only alerts of the environment with this name" })),
  integration_id: integrationId,
  search: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "text to find in the title, description, service, monitoring tool, hosts or fingerprint",
    }),
  ),
  silenced: Type.Optional(
    Type.Boolean({
      description:
        "true: only silenced alerts (with a `silence_id`); false: only alerts that are not silenced; default: both",
    }),
  ),
  iids: numbers("only alerts with these numbers within the project (`iid`)"),
  assignee_username: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 100,
      description: "only alerts assigned to at least one of these usernames; comma-separated, at most 100",
    }),
  ),
  include_test: Type.Optional(
    Type.Boolean({ default: false, description: "true: include test alerts; default: false" }),
  ),
  sort: Type.Optional(
    Type.Enum(SORTS, {
      default: "started_at_desc",
      description:
        "field to sort by, and direction; severity_desc: most critical first; default: started_at_desc",
    }),
  ),
  ...pageParameters,
});
export type AlertsQuery = Static<typeof AlertsQuery>;

export const AlertBody = Type.Object({
  status: Type.Optional(
    Type.Enum([...ALERT_STATUSES], {
      description: "new status of the alert; every status but resolved means that the alert is open",
    }),
  ),
  assignee_ids: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1 }), {
      maxItems: 100,
      description:
        "ids of the users to assign the alert to, in place of the current assignees, at most 100; empty: nobody",
    }),
  ),
});
export type AlertBody = Static<typeof AlertBody>;

/** The filter of a validated query. */
export function alertFilterOf(query: Omit<AlertsQuery, "sort">): AlertFilter {
  return {
    statuses: query.status,
    severities: query.severity,
    environment: query.environment || undefined,
    integrationId: query.integration_id,
    search: query.search,
    silenced: query.silenced,
    includeTest: query.include_test,
    iids: query.iids,
    assignees: query.assignee_username,
  };
}

/** Converts a value of `sort`: `severity_desc` to by severity, descending. */
export function alertOrderOf(sort = "started_at_desc"): AlertOrder {
  const cut = sort.lastIndexOf("_");
  return { by: sort.slice(0, cut) as AlertSort, descending: sort.slice(cut + 1) === "desc" };
}

/** An alert as the API shows it. */
export function alertRecord(alert: Alert, projectPath: string, publicUrl: string): Described<typeof ALERT> {
  return {
    iid: alert.iid,
    title: alert.title,
    description: alert.description,
    severity: alert.severity,
    status: alert.status,
    service: alert.service,
    monitoring_tool: alert.monitoringTool,
    hosts: alert.hosts,
    environment:
      alert.environmentId === null || alert.environmentName === null
        ? null
        : { id: alert.environmentId, name: alert.environmentName },
    fingerprint: fingerprintText(alert.fingerprintVersion, alert.fingerprintHash),
    events: alert.events,
    deliveries: alert.deliveries,
    started_at: alert.startedAt.toISOString(),
    ended_at: alert.endedAt?.toISOString() ?? null,
    last_seen_at: alert.lastSeenAt.toISOString(),
    created_at: alert.createdAt.toISOString(),
    updated_at: alert.updatedAt.toISOString(),
    issue_iid: alert.incidentIid,
    integration_id: alert.integrationId,
    runbook: alert.runbookUrl,
    payload: alert.payload,
    first_payload: alert.firstPayload,
    test: alert.test,
    recurrence_of: alert.recurrenceOfIid,
    silence_id: alert.silenceId,
    assignees: alert.assignees.map((person) => authorRecord(person, publicUrl)),
    web_url: `${publicUrl}/${projectPath}/-/alerts/${alert.iid}`,
  };
}

export const ReceiptsQuery = Type.Object({
  integration_id: integrationId,
  decision: Type.Optional(Type.Enum([...DECISIONS], { description: "only receipts with this outcome" })),
  alert_iid: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "only receipts of requests that reported the alert with this number",
    }),
  ),
  ...pageParameters,
});
export const ReceiptParameters = Type.Object({
  ...ProjectParameters.properties,
  receipt_id: Type.String({ description: "id of the receipt, as returned in the header X-Alert-Receipt" }),
});

/** A receipt as the API shows it; `reading` is null if the body could not be read. */
export function receiptRecord(receipt: Receipt, reading: Reading | undefined): Described<typeof RECEIPT> {
  return {
    id: receipt.id,
    integration_id: receipt.integrationId,
    key_hint: receipt.keyHint,
    received_at: receipt.receivedAt.toISOString(),
    status: receipt.status,
    decision: receipt.decision,
    warnings: receipt.warnings,
    alert_iids: receipt.alertIids,
    headers: receipt.headers,
    reading: reading ? readingRecord(reading) : null,
    raw: receipt.raw.toString("base64"),
  };
}

export const ReplayBody = Type.Optional(
  Type.Object({
    dry_run: Type.Optional(
      Type.Boolean({ description: "true: only report what the replay would do; default: false" }),
    ),
  }),
);
export type ReplayBody = Static<typeof ReplayBody>;

/** The result of a replay or of a dry run. */
export function replayRecord({ reading, decisions, outcome }: Replay): Described<typeof REPLAY> {
  return {
    dry_run: outcome === undefined,
    receipt_id: outcome?.receiptId ?? null,
    alerts: outcome?.alerts ?? [],
    ...(decisions ? { decisions: decisions.slice(0, MAX_REPORTS_SHOWN) } : {}),
    reading: readingRecord(reading),
  };
}

const MAX_REPORTS_SHOWN = 100;

/** The interpretation of a payload, with the first hundred reports of a long batch. */
export function readingRecord(reading: Reading): Described<typeof READING> {
  return {
    shape: reading.shape,
    count: reading.reports.length,
    alerts: reading.reports.slice(0, MAX_REPORTS_SHOWN).map((report) => ({
      action: report.action,
      title: report.title,
      description: report.description,
      severity: report.severity,
      service: report.service,
      monitoring_tool: report.monitoringTool,
      hosts: report.hosts,
      environment: report.environmentName,
      start_time: report.startedAt?.toISOString() ?? null,
      end_time: report.endedAt?.toISOString() ?? null,
      fingerprint: report.fingerprint.shown,
      fingerprint_from: report.fingerprint.kind,
      custom: report.customNames,
    })),
    warnings: reading.warnings,
  };
}
