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
import { countOnOpenAlerts, insertAlerts, type NewAlertRow } from "./store-batch.ts";

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
  const rows = firings.map((ops, ord) => firingRow(ops, ord));
  const repeats = rows.some((row) => row.grouped)
    ? await countOnOpenAlerts(
        tx,
        rows.filter((row) => row.grouped),
      )
    : [];
  const known = new Set(repeats.map((touched) => touched.ord));
  const opening = rows.filter((row) => !known.has(row.ord));
  const opened = opening.length > 0 ? await openAlerts(platform, tx, firings, opening, botId) : [];
  for (const touched of [...repeats, ...opened]) {
    const ops = firings[touched.ord] as [Op, ...Op[]];
    ops.forEach((op, index) => {
      const isNew = touched.created && index === 0;
      noteEffect(effects, op, touched, isNew ? "created" : "counted");
    });
    if (touched.created) announceAlert(effects, ops[0], touched, botId);
  }
}

function firingRow(ops: readonly [Op, ...Op[]], ord: number) {
  const [first] = ops;
  const newest = ops.at(-1) ?? first;
  const starts = distinctStarts(ops);
  return {
    ord,
    projectId: first.delivery.projectId,
    integrationId: first.delivery.integrationId,
    hash: first.hash,
    version: FINGERPRINT_VERSION,
    grouped: first.grouped,
    events: starts.length > 0 ? starts.length : ops.length,
    deliveries: new Set(ops.map((op) => op.delivery)).size,
    starts,
    startGiven: newest.report.startedAt?.toISOString() ?? null,
    hosts: hostsOf(ops),
    payload: newest.report.payload,
  };
}

async function openAlerts(
  platform: Platform,
  tx: Queries,
  firings: readonly [Op, ...Op[]][],
  opening: readonly ReturnType<typeof firingRow>[],
  botId: number,
) {
  const iids = await numbersFor(tx, "alert", opening);
  const incidentIids = await numbersFor(
    tx,
    "incident",
    opening.filter((row) => firings[row.ord]?.[0].delivery.createsIncidents),
  );
  const rows = opening.map((row): NewAlertRow => {
    const { delivery, report } = (firings[row.ord] as [Op, ...Op[]])[0];
    const iid = iids.get(row.ord) as number;
    const incidentIid = incidentIids.get(row.ord) ?? null;
    const alertUrl = `${platform.config.publicUrl}/${delivery.projectPath}/-/alerts/${iid}`;
    return {
      ...newAlertRow(report),
      ...row,
      iid,
      incidentIid,
      incidentTitle: incidentTitle(report, report.title === UNTITLED, incidentIid ?? 0),
      incidentBody: incidentIid === null ? "" : incidentBody(report, alertUrl),
      authorId: botId,
      test: false,
    };
  });
  return insertAlerts(tx, rows);
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
  alert: { id: number; title: string; incidentId: number | null; incidentIid: number | null },
  botId: number,
): void {
  const { delivery, report } = op;
  const source = sourceOf(report.monitoringTool, delivery.integrationName);
  effects.activity.push(activityLine(alert.id, "fired", `logged an alert from **${source}**`));
  const { incidentId, incidentIid } = alert;
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
