/** Alerts, their settings and their receipts on the wire (contract §3; contract-alerts). */
import { authorRecord } from "../accounts/wire.ts";
import type { Described } from "../platform/answers.ts";
import { given } from "../platform/given.ts";
import { pageParameters } from "../platform/pagination.ts";
import { numbers } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import type { Project } from "../projects/project.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { ALERT_STATUSES, type Alert } from "./alert.ts";
import type { SettingsEdit } from "./change-settings.ts";
import { fingerprintText } from "./fingerprint.ts";
import { DECISIONS, type Receipt } from "./receipt.ts";
import type { Replay } from "./replay-receipt.ts";
import type { Reading } from "./report.ts";
import { SEVERITIES } from "./severity.ts";
import { ALERT_SORTS, type AlertFilter, type AlertOrder, type AlertSort } from "./store-lists.ts";
import type { AlertSettings } from "./store-settings.ts";
import type { ALERT } from "./wire-answers-alerts.ts";
import type { SETTINGS } from "./wire-answers-integrations.ts";
import type { READING, RECEIPT, REPLAY } from "./wire-answers-receipts.ts";

const itemParameters = (what: string) =>
  Type.Object({
    ...ProjectParameters.properties,
    iid: Type.String({ description: `number of the ${what} in its project` }),
  });
export const AlertParameters = itemParameters("alert");
export const IncidentParameters = itemParameters("incident");
export type ItemParameters = Static<typeof AlertParameters>;

/** In queries of alerts and of receipts. */
const integrationId = Type.Optional(
  Type.Integer({ minimum: 1, description: "only what came by the integration of this number" }),
);

const SORTS = ALERT_SORTS.flatMap((word) => [`${word}_asc`, `${word}_desc`]);

export const AlertsQuery = Type.Object({
  status: Type.Optional(Type.Array(Type.Enum([...ALERT_STATUSES]), { description: "comma list" })),
  severity: Type.Optional(Type.Array(Type.Enum([...SEVERITIES]), { description: "comma list" })),
  environment: Type.Optional(Type.String({ description: "name of an environment" })),
  integration_id: integrationId,
  search: Type.Optional(
    Type.String({ maxLength: 500, description: "in title, description, service, tool, hosts, fingerprint" }),
  ),
  silenced: Type.Optional(
    Type.Boolean({ description: "whether they bear a `silence_id`; both when absent" }),
  ),
  iids: numbers("only these: numbers in the project"),
  assignee_username: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 100,
      description: "only those that one of these has: usernames, separated by commas",
    }),
  ),
  include_test: Type.Optional(
    Type.Boolean({ default: false, description: "test alerts too; default: false" }),
  ),
  sort: Type.Optional(
    Type.Enum(SORTS, {
      default: "started_at_desc",
      description: "by what, and which way; severity_desc: the most critical first; default: started_at_desc",
    }),
  ),
  ...pageParameters,
});
export type AlertsQuery = Static<typeof AlertsQuery>;

export const AlertBody = Type.Object({
  status: Type.Optional(
    Type.Enum([...ALERT_STATUSES], { description: "what it is from now on; all but resolved are open" }),
  ),
  assignee_ids: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1 }), {
      maxItems: 100,
      description: "numbers of the users who have it from now on; an empty list: nobody",
    }),
  ),
});
export type AlertBody = Static<typeof AlertBody>;

/** The filter of a checked query. */
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

/** `severity_desc` → by severity, descending; newest start first when none is named. */
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

export const SettingsBody = Type.Object({
  create_incident: Type.Optional(Type.Boolean({ description: "each new alert opens an incident" })),
  auto_close_incident: Type.Optional(
    Type.Boolean({ description: "an incident is closed when its alert is resolved" }),
  ),
  grouping: Type.Optional(
    Type.Boolean({
      description:
        "identical payloads join the open alert and raise its counter; on the free plan they do not (422)",
    }),
  ),
  storm_threshold: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: "more new alerts that a channel is about are a storm; 0: never",
    }),
  ),
  storm_seconds: Type.Optional(
    Type.Integer({ minimum: 10, maximum: 3600, description: "within how many seconds" }),
  ),
  collapse_incidents: Type.Optional(
    Type.Boolean({ description: "in a storm, the alerts that open beyond that number share one incident" }),
  ),
  late_firings_stay_resolved: Type.Optional(
    Type.Boolean({
      description: "a firing that began before its alert ended is counted there and opens nothing",
    }),
  ),
  resolve_after_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 8760,
      description: "without a delivery an alert resolves; 0: never",
    }),
  ),
  incident_template: Type.Optional(
    Type.Union([Type.Null(), Type.String()], {
      description: "name of the template that ends descriptions of incidents that alerts open; null: none",
    }),
  ),
});
export type SettingsBody = Static<typeof SettingsBody>;

/** What of the settings a body names; the template by its name. */
export function settingsChangeOf(body: SettingsBody): SettingsEdit {
  return given({
    createIncident: body.create_incident,
    autoCloseIncident: body.auto_close_incident,
    grouping: body.grouping,
    stormThreshold: body.storm_threshold,
    stormSeconds: body.storm_seconds,
    collapseIncidents: body.collapse_incidents,
    lateFiringsStayResolved: body.late_firings_stay_resolved,
    resolveAfterHours: body.resolve_after_hours,
    incidentTemplate: body.incident_template,
  });
}

/** As they work: the free plan does not group, whatever was chosen. */
export function settingsRecord(
  settings: AlertSettings,
  { plan }: Pick<Project, "plan">,
): Described<typeof SETTINGS> {
  return {
    create_incident: settings.createIncident,
    auto_close_incident: settings.autoCloseIncident,
    grouping: settings.grouping && plan === "premium",
    storm_threshold: settings.stormThreshold,
    storm_seconds: settings.stormSeconds,
    collapse_incidents: settings.collapseIncidents,
    late_firings_stay_resolved: settings.lateFiringsStayResolved,
    resolve_after_hours: settings.resolveAfterHours,
    incident_template: settings.incidentTemplate,
  };
}

export const ReceiptsQuery = Type.Object({
  integration_id: integrationId,
  decision: Type.Optional(Type.Enum([...DECISIONS], { description: "what became of the request" })),
  alert_iid: Type.Optional(Type.Integer({ minimum: 1, description: "number of an alert it named" })),
  ...pageParameters,
});
export const ReceiptParameters = Type.Object({
  ...ProjectParameters.properties,
  receipt_id: Type.String({ description: "identifier of the receipt, as X-Alert-Receipt tells it" }),
});

/** A receipt as the API shows it; `reading` is null where the bytes could not be read. */
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
  Type.Object({ dry_run: Type.Optional(Type.Boolean({ description: "only say what it would do" })) }),
);
export type ReplayBody = Static<typeof ReplayBody>;

/** What a replay did, or would do. */
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

/** How a payload is read: of a long batch the first hundred reports. */
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
