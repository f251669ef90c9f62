/** Counts firings on the open alerts of their fingerprints, and opens an alert with its incident where there is none. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { nextNumber } from "../projects/next-number.ts";
import { sourceOf } from "./alert.ts";
import { distinctStarts, hostsOf, type Op, type Step } from "./batch.ts";
import { activityLine, type Effects, noteEffect } from "./effects.ts";
import { FINGERPRINT_VERSION } from "./fingerprint.ts";
import { incidentBody, incidentTitle } from "./incident.ts";
import type { AlertReport } from "./report.ts";
import { UNTITLED } from "./senders/generic.ts";
import { type AlertDraft, findOpenAlerts, type Touched, upsertAlerts } from "./store-batch.ts";

/** Grouped firings stay together; each of the others is a row of its own. */
function firingsOf(round: readonly Step[]): [Op, ...Op[]][] {
  return round
    .filter((step) => step.kind === "firing")
    .flatMap(({ ops }) => (ops[0].grouped ? [ops] : ops.map((op): [Op, ...Op[]] => [op])));
}

/** Records the firings of one round (spec: States 2, 3). The project is locked by the caller. */
export async function recordFirings(
  platform: Platform,
  tx: Queries,
  round: readonly Step[],
  effects: Effects,
  botId: number,
): Promise<void> {
  const firings = firingsOf(round);
  if (firings.length === 0) return;
  const keys = firings.map(([first], ord) => ({
    ord,
    projectId: first.delivery.projectId,
    hash: first.hash,
  }));
  const open = await findOpenAlerts(
    tx,
    keys.filter(({ ord }) => firings[ord]?.[0].grouped),
  );
  const opening = keys.filter(({ ord }) => !open.has(ord));
  const iids = await numbersFor(tx, "alert", opening);
  const incidentIids = await numbersFor(
    tx,
    "incident",
    opening.filter(({ ord }) => firings[ord]?.[0].delivery.createsIncidents),
  );
  const drafts = firings.map((ops, ord) =>
    draftOf(platform, ops, iids.get(ord), incidentIids.get(ord) ?? null, botId),
  );
  const touched = new Map<string, Touched>();
  for (const alert of await upsertAlerts(tx, drafts)) {
    // Nobody resolves an alert of a locked project, so that what was open a moment ago still is.
    if (alert.iid < 1) throw new Error("an alert was opened without a number");
    touched.set(`${alert.projectId} ${alert.hash}`, alert);
    touched.set(`${alert.projectId} ${alert.iid}`, alert);
  }
  firings.forEach((ops, ord) => {
    const { projectId, hash } = keys[ord] as (typeof keys)[number];
    const alert = touched.get(`${projectId} ${ops[0].grouped ? hash : iids.get(ord)}`) as Touched;
    ops.forEach((op, index) => {
      noteEffect(effects, op, alert, alert.created && index === 0 ? "created" : "counted");
    });
    if (alert.created) announceAlert(effects, ops[0], alert, incidentIids.get(ord) ?? null, botId);
  });
}

/** The alert that firings open; where one is open, what is added to it. */
function draftOf(
  platform: Platform,
  ops: readonly [Op, ...Op[]],
  iid: number | undefined,
  incidentIid: number | null,
  botId: number,
): AlertDraft {
  const [{ delivery, report, hash, grouped }] = ops;
  const newest = ops.at(-1)?.report ?? report;
  const starts = distinctStarts(ops);
  const alertUrl = `${platform.config.publicUrl}/${delivery.projectPath}/-/alerts/${iid}`;
  return {
    ...newAlertRow(report),
    projectId: delivery.projectId,
    iid,
    incidentIid,
    incidentTitle: incidentTitle(report, report.title === UNTITLED, incidentIid ?? 0),
    incidentBody: incidentIid === null ? "" : incidentBody(report, alertUrl),
    authorId: botId,
    integrationId: delivery.integrationId,
    hash,
    version: FINGERPRINT_VERSION,
    grouped,
    events: starts.length > 0 ? starts.length : ops.length,
    deliveries: new Set(ops.map((op) => op.delivery)).size,
    starts,
    startGiven: newest.startedAt?.toISOString() ?? null,
    hosts: hostsOf(ops),
    payload: newest.payload,
    test: false,
  };
}

/** The members of a new alert's row that come from the report alone. */
export function newAlertRow(report: AlertReport) {
  return {
    given: report.fingerprint.shown,
    startedAt: report.startedAt?.toISOString() ?? null,
    title: report.title,
    description: report.description,
    severity: report.severity,
    service: report.service,
    tool: report.monitoringTool,
    runbook: report.runbookUrl,
    environment: report.environmentName,
    first: report.payload,
  };
}

async function numbersFor(
  tx: Queries,
  kind: "alert" | "incident",
  rows: readonly { ord: number; projectId: number }[],
): Promise<Map<number, number>> {
  const numbers = new Map<number, number>();
  const projectIds = [...new Set(rows.map((row) => row.projectId))].sort((a, b) => a - b);
  for (const projectId of projectIds) {
    const own = rows.filter((row) => row.projectId === projectId);
    const first = await nextNumber(tx, projectId, kind, own.length);
    own.forEach((row, index) => {
      numbers.set(row.ord, first + index);
    });
  }
  return numbers;
}

function announceAlert(
  effects: Effects,
  op: Op,
  alert: Touched,
  incidentIid: number | null,
  botId: number,
): void {
  const { delivery, report } = op;
  const source = sourceOf(report.monitoringTool, delivery.integrationName);
  effects.activity.push(activityLine(alert.id, "fired", `logged an alert from **${source}**`));
  const { incidentId } = alert;
  if (incidentId === null || incidentIid === null) return;
  effects.activity.push(
    activityLine(alert.id, "incident", `created incident #${incidentIid} for this alert`),
  );
  effects.incidents.push({
    action: "created",
    projectId: delivery.projectId,
    incidentId,
    iid: incidentIid,
    title: incidentTitle(report, report.title === UNTITLED, incidentIid),
    authorId: botId,
  });
}
