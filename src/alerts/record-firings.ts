/** Counts firings on the open alerts of their fingerprints, and opens an alert with its incident where there is none. */
import { cutText } from "../platform/cut-text.ts";
import type { Queries } from "../platform/db.ts";
import { sourceOf } from "./alert.ts";
import type { AlertTransaction } from "./alert-transaction.ts";
import {
  believedUntil,
  countDeliveries,
  distinctStarts,
  hostsOf,
  lastStartGiven,
  type Op,
  type Step,
  sourcesOf,
} from "./batch.ts";
import { activityLine, type Effects, noteEffect, remark } from "./effects.ts";
import { FINGERPRINT_VERSION } from "./fingerprint.ts";
import { incidentBody, incidentTitle, saidByRule } from "./incident.ts";
import { type Reach, silenceOver, subjectOf } from "./reach.ts";
import { findEnds } from "./record-early-recoveries.ts";
import { withoutLate } from "./record-late-firings.ts";
import type { AlertReport } from "./report.ts";
import { UNTITLED } from "./senders/member.ts";
import { isWorse, type Severity } from "./severity.ts";
import { shareIncidents } from "./share-incidents.ts";
import type { InForce } from "./silence.ts";
import { type AlertDraft, recordDrafts, type Touched } from "./store-drafts.ts";
import { raiseSeverities } from "./store-severities.ts";
import { sharedLine } from "./storm-incident.ts";

/** Returns the firings of a round: those of one fingerprint together if they are grouped, else each alone. */
function firingsOf(round: readonly Step[]): [Op, ...Op[]][] {
  return round
    .filter((step) => step.kind === "firing")
    .flatMap(({ ops }) => (ops[0].grouped ? [ops] : ops.map((op): [Op, ...Op[]] => [op])));
}

/** Records the firings of one round (spec: States 2, 3). The project is locked by the caller. */
export async function recordFirings(
  transaction: AlertTransaction,
  round: readonly Step[],
  effects: Effects,
  reach: Reach,
): Promise<void> {
  const { tx, botId } = transaction;
  const firings = await withoutLate(tx, firingsOf(round), effects, reach);
  if (firings.length === 0) return;
  const silences = firings.map(([{ delivery, report }]) =>
    silenceOver(reach, delivery.projectId, () => subjectOf(report, delivery)),
  );
  const ends = await findEnds(tx, firings, reach);
  const planned = firings.map((ops, ord) => draftOf(transaction, ops, silences[ord], ends.get(ord)));
  const { drafts, shared } = await shareIncidents(transaction, planned, effects, reach);
  const touched = await recordDrafts(tx, drafts);
  for (const alert of touched) {
    const ops = firings[alert.ord] as [Op, ...Op[]];
    const isOver = alert.created && ends.has(alert.ord);
    ops.forEach((op, index) => {
      const decision = isOver ? "late" : alert.created && index === 0 ? "created" : "counted";
      noteEffect(effects, op, alert, decision, ops);
    });
    if (isOver) noteEnd(effects, ops, alert);
    else if (alert.created && !silences[alert.ord]) {
      const { projectId } = ops[0].delivery;
      effects.happenings.push({ projectId, alertId: alert.id, what: "opened" });
    }
    if (alert.created) announceAlert(effects, ops[0], alert, botId);
    const incident = alert.created && shared.get(alert.ord);
    if (incident) effects.activity.push(activityLine(alert.id, "incident", sharedLine(incident)));
    if (alert.unplaced) {
      const name = cutText(ops[0].report.environmentName ?? "", 100);
      remark(effects, ops[0].delivery, `The project has no environment called ${name}; the alert has none.`);
    }
    const silence = silences[alert.ord];
    if (silence) noteSilence(effects, ops, alert, silence);
  }
  await raiseWorse(tx, firings, touched, effects);
}

/**
 * Raises the severity of open alerts and their incidents to that of a repeat whose sender names a worse one. Channels that
 * the severity before did not concern are notified, unless the alert is ignored (decision 0097).
 */
async function raiseWorse(
  tx: Queries,
  firings: readonly (readonly [Op, ...Op[]])[],
  touched: readonly Touched[],
  effects: Effects,
): Promise<void> {
  const raised = touched.flatMap((alert) => {
    const ops = firings[alert.ord] as readonly [Op, ...Op[]];
    const severity = worstSaid(ops);
    return severity && isWorse(severity, alert.severity) ? [{ ...alert, ops, to: severity }] : [];
  });
  if (raised.length === 0) return;
  await raiseSeverities(
    tx,
    raised.map(({ id, to }) => ({ id, severity: to })),
  );
  // An alert that opened in this batch is notified once, with the severity that it has at the end of the batch.
  const opened = new Set(
    effects.happenings.flatMap(({ what, alertId }) => (what === "opened" ? alertId : [])),
  );
  for (const { id, ops, severity, to, status } of raised) {
    const line = `raised the severity from **${severity}** to **${to}**`;
    effects.activity.push(activityLine(id, "status", line));
    const { projectId } = ops[0].delivery;
    if (opened.has(id) || status === "ignored" || status === "resolved") continue;
    effects.happenings.push({ projectId, alertId: id, what: "opened", severityBefore: severity });
  }
}

function worstSaid(ops: readonly Op[]): Severity | undefined {
  return ops
    .map(({ report }) => report.saidSeverity)
    .reduce((worst, said) => (said && (!worst || isWorse(said, worst)) ? said : worst), undefined);
}

/** The alert that these firings open, or what they add to the one that is open. */
function draftOf(
  { platform, botId }: AlertTransaction,
  ops: readonly [Op, ...Op[]],
  silence: InForce | undefined,
  end: Date | undefined,
): AlertDraft {
  const [{ delivery, report, hash, grouped }] = ops;
  const newest = ops.at(-1)?.report ?? report;
  const starts = distinctStarts(ops);
  // The starts that the first sender names are the occurrences; another sender of the same alert only repeats them.
  const counted = starts.filter(({ source }) => source === null || source === starts[0]?.source);
  const alertUrl = `${platform.config.publicUrl}/${delivery.projectPath}/-/alerts/`;
  return {
    ...newAlertRow(report),
    projectId: delivery.projectId,
    incidentBody: delivery.createsIncidents && !silence && !end ? incidentBody(report, alertUrl) : null,
    incidentEnd: saidByRule(report.payload),
    sharedIncidentId: null,
    templateId: delivery.incidentTemplateId ?? null,
    untitled: report.title === UNTITLED,
    authorId: botId,
    integrationId: delivery.integrationId,
    loggedBy: sourceOf(report.monitoringTool, delivery.integrationName),
    hash,
    version: FINGERPRINT_VERSION,
    grouped,
    events: counted.length > 0 ? counted.length : ops.length,
    deliveries: countDeliveries(ops),
    starts: starts.map(({ start }) => start),
    startSources: starts.map(({ source }) => source),
    sources: sourcesOf(ops),
    startGiven: lastStartGiven(ops)?.toISOString() ?? null,
    believedUntil: believedUntil(ops)?.toISOString() ?? null,
    hosts: hostsOf(ops),
    payload: newest === report ? undefined : newest.payload,
    test: false,
    endedAt: end?.toISOString() ?? null,
    silenceId: silence?.id ?? null,
  };
}

/** Returns the members of a new alert's row that come from the report alone. */
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

/** Notes on the receipt of each firing and in the alert's activity that the recovery had come first. */
function noteEnd(effects: Effects, ops: readonly Op[], alert: Touched): void {
  const words = "A firing arrived after its recovery; its alert was recorded as resolved.";
  for (const { delivery } of ops) remark(effects, delivery, words);
  const line = "changed the status to **Resolved**, since its recovery had arrived earlier";
  effects.activity.push(activityLine(alert.id, "status", line));
}

/** Notes the silence on the receipt of each firing, and in the alert's activity if it was opened under it. */
function noteSilence(effects: Effects, ops: readonly Op[], alert: Touched, silence: InForce): void {
  const words = `Silence ${silence.id} (${cutText(silence.comment, 100)}) applies: no incident, no notification.`;
  for (const { delivery } of ops) remark(effects, delivery, words);
  if (!alert.created) return;
  const line = `applied silence **${silence.id}**: no incident was opened, nobody was notified`;
  effects.activity.push(activityLine(alert.id, "incident", line));
}

function announceAlert(effects: Effects, { delivery, report }: Op, alert: Touched, botId: number): void {
  const { incidentId, incidentIid } = alert;
  if (incidentId === null || incidentIid === null) return;
  effects.incidents.push({
    action: "created",
    projectId: delivery.projectId,
    incidentId,
    iid: incidentIid,
    title: incidentTitle(report, report.title === UNTITLED, incidentIid),
    authorId: botId,
    at: alert.at,
  });
}
