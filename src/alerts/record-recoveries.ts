/** Resolves the open alerts that recoveries name and closes their incidents. */
import { sourceOf } from "./alert.ts";
import type { AlertTransaction } from "./alert-transaction.ts";
import type { IncidentChange } from "./announce-incidents.ts";
import { countDeliveries, type Op, type Step } from "./batch.ts";
import { activityLine, decide, type Effects, noteEffect, remark } from "./effects.ts";
import type { Reach } from "./reach.ts";
import { keepEarly } from "./record-early-recoveries.ts";
import { countLateRecoveries, type Recovered, resolveOpenAlerts } from "./store-batch.ts";

/** Records the recoveries of one round (spec: States 1). A recovery that matches no open alert opens none. */
export async function recordRecoveries(
  transaction: AlertTransaction,
  round: readonly Step[],
  effects: Effects,
  reach: Reach,
): Promise<void> {
  const orphans: Op[] = [];
  let waiting = round.filter((step) => step.kind === "recovery").map((step): readonly Op[] => step.ops);
  while (waiting.length > 0) {
    const first = waiting.map((ops) => ops[0] as Op);
    const late = await recordFirst(transaction, first, effects, orphans);
    const together: LateAgain[] = [];
    waiting = waiting.flatMap((ops, ord) => {
      const alerts = late.get(ord);
      // Only a late recovery leaves its alert open for the next one; otherwise the next ones match no open alert.
      if (!alerts) {
        for (const op of ops.slice(1)) orphans.push(op);
        return [];
      }
      const end = ops.findIndex((op, place) => place > 0 && !alerts.every((alert) => isLate(op, alert)));
      const [again, rest] = end === -1 ? [ops.slice(1), []] : [ops.slice(1, end), ops.slice(end)];
      if (again.length > 0) together.push({ ops: again, alerts });
      return rest.length > 0 ? [rest] : [];
    });
    await recordLateAgain(transaction, together, effects);
  }
  for (const orphan of orphans) decide(effects, orphan, "orphan");
  await keepEarly(transaction.tx, orphans, reach);
}

/** Consecutive recoveries of a fingerprint that are late for each of its open alerts, like the one before them. */
interface LateAgain {
  ops: readonly Op[];
  alerts: readonly Recovered[];
}

/** As the statement judges it. */
function isLate({ report }: Op, { newestStart }: Recovered): boolean {
  return report.endedAt !== null && newestStart !== null && report.endedAt < newestStart;
}

/** Records them in one statement, however many they are: one request may have thousands of one alert. */
async function recordLateAgain(
  { tx }: AlertTransaction,
  together: readonly LateAgain[],
  effects: Effects,
): Promise<void> {
  if (together.length === 0) return;
  await countLateRecoveries(
    tx,
    together.flatMap(({ ops, alerts }) => {
      const deliveries = countDeliveries(ops);
      return alerts.map(({ id }) => ({ id, deliveries }));
    }),
  );
  for (const { ops, alerts } of together) {
    for (const op of ops) {
      for (const alert of alerts) {
        noteEffect(effects, op, alert, "late", ops);
        noteLate(effects, op, alert);
      }
    }
  }
}

/**
 * Records one recovery of each fingerprint; adds those without an open alert to `orphans`. Returns the alerts
 * that stay open because the recovery is older than their newest occurrence, by its index.
 */
async function recordFirst(
  { tx, botId }: AlertTransaction,
  ops: readonly Op[],
  effects: Effects,
  orphans: Op[],
): Promise<Map<number, Recovered[]>> {
  const touched = await resolveOpenAlerts(
    tx,
    ops.map(({ delivery, hash, report }, ord) => ({
      ord,
      projectId: delivery.projectId,
      hash,
      endedAt: report.endedAt?.toISOString() ?? null,
      payload: report.payload,
    })),
    botId,
  );
  const closed = new Map(touched.filter(({ what }) => what === "closed").map((one) => [one.id, one]));
  const matched = new Set(touched.map((alert) => alert.ord));
  ops.forEach((op, ord) => {
    if (!matched.has(ord)) orphans.push(op);
  });
  for (const alert of touched) {
    if (alert.what === "closed") continue;
    const op = ops[alert.ord] as Op;
    noteEffect(effects, op, alert, alert.what, ops);
    if (alert.what === "late") {
      noteLate(effects, op, alert);
      continue;
    }
    noteResolved(effects, op, alert);
    const incident = closed.get(alert.incidentId ?? 0);
    // If several of these alerts shared the incident, only the first one notes that it closed.
    if (!incident || !closed.delete(incident.id)) continue;
    noteClosed(effects, alert, {
      action: "closed",
      projectId: op.delivery.projectId,
      incidentId: incident.id,
      iid: incident.iid,
      title: incident.title,
      authorId: botId,
      at: alert.at,
    });
  }
  return Map.groupBy(
    touched.filter(({ what }) => what === "late"),
    ({ ord }) => ord,
  );
}

function noteLate(effects: Effects, { delivery, report }: Op, { id }: Recovered): void {
  const words = "A recovery is older than the newest occurrence of its alert; nothing was resolved.";
  remark(effects, delivery, words);
  const source = sourceOf(report.monitoringTool, delivery.integrationName);
  const line = `logged a recovery alert from **${source}** that is older than the newest occurrence`;
  effects.activity.push(activityLine(id, "recovered", line));
}

function noteResolved(effects: Effects, { delivery, report }: Op, { id }: Recovered): void {
  const source = sourceOf(report.monitoringTool, delivery.integrationName);
  effects.happenings.push({ projectId: delivery.projectId, alertId: id, what: "resolved" });
  effects.activity.push(activityLine(id, "recovered", `logged a recovery alert from **${source}**`));
  effects.activity.push(activityLine(id, "status", "changed the status to **Resolved**"));
}

function noteClosed(effects: Effects, alert: Recovered, closing: IncidentChange): void {
  const { incidentId, iid, authorId } = closing;
  effects.activity.push(activityLine(alert.id, "incident", `closed incident #${iid}`));
  const body = `closed this incident: alert #${alert.iid} recovered`;
  effects.notes.push({ incidentId, authorId, body });
  effects.incidents.push(closing);
}
