/** Acknowledges the open alerts that another service's client names, and keeps its notes on them. */
import type { Queries } from "../platform/db.ts";
import { sourceOf } from "./alert.ts";
import type { Op, Step } from "./batch.ts";
import { activityLine, decide, type Effects } from "./effects.ts";
import { answerOpenAlerts } from "./store-responses.ts";

/** Records the acknowledgements and notes of one round (decision 0086). What matches nothing opens nothing. */
export async function recordResponses(tx: Queries, round: readonly Step[], effects: Effects): Promise<void> {
  const ops = round
    .filter(({ kind }) => kind === "acknowledgement" || kind === "note")
    .map((step) => step.ops[0]);
  if (ops.length === 0) return;
  const answered = await answerOpenAlerts(
    tx,
    ops.map(({ delivery, hash, report }, ord) => ({
      ord,
      projectId: delivery.projectId,
      hash,
      acknowledges: report.action === "acknowledgement",
    })),
  );
  const matched = new Set(answered.map(({ ord }) => ord));
  ops.forEach((op, ord) => {
    if (!matched.has(ord)) decide(effects, op, "orphan");
  });
  for (const alert of answered) {
    const op = ops[alert.ord] as Op;
    const { delivery, report } = op;
    const touched = effects.alerts.get(delivery) ?? new Map<number, string>();
    effects.alerts.set(delivery, touched.set(alert.iid, alert.title));
    decide(effects, op, report.action === "note" ? "noted" : "acknowledged");
    const source = sourceOf(report.monitoringTool, delivery.integrationName);
    if (report.action === "note") {
      effects.activity.push(activityLine(alert.id, "comment", `${report.note ?? ""} (by **${source}**)`));
    } else if (alert.wasTriggered) {
      effects.happenings.push({
        projectId: delivery.projectId,
        alertId: alert.id,
        what: "acknowledged",
        by: source,
      });
      const words = `changed the status to **Acknowledged** by **${source}**`;
      effects.activity.push(activityLine(alert.id, "status", words));
    }
  }
}
