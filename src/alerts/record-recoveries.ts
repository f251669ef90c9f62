/** Resolves the open alerts that recoveries name and closes their incidents. */
import type { Queries } from "../platform/db.ts";
import { sourceOf } from "./alert.ts";
import type { Op, Step } from "./batch.ts";
import { activityLine, decide, type Effects, noteEffect } from "./effects.ts";
import { resolveOpenAlerts } from "./store-batch.ts";

/** Records the recoveries of one round (spec: States 1). What matches nothing opens nothing. */
export async function recordRecoveries(
  tx: Queries,
  round: readonly Step[],
  effects: Effects,
  botId: number,
): Promise<void> {
  const ops = round.filter((step) => step.kind === "recovery").map((step) => step.ops[0]);
  if (ops.length === 0) return;
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
  const incidentIids = new Map(
    touched.filter(({ what }) => what === "closed").map(({ id, iid }) => [id, iid]),
  );
  const matched = new Set(touched.map((alert) => alert.ord));
  ops.forEach((op, ord) => {
    if (!matched.has(ord)) decide(effects, op.delivery, "orphan");
  });
  for (const alert of touched) {
    if (alert.what === "closed") continue;
    const op = ops[alert.ord] as Op;
    const source = sourceOf(op.report.monitoringTool, op.delivery.integrationName);
    noteEffect(effects, op, alert, alert.what);
    if (alert.what === "late") {
      const words = `logged a recovery alert from **${source}** that is older than the newest occurrence`;
      effects.activity.push(activityLine(alert.id, "recovered", words));
      continue;
    }
    effects.happenings.push({ projectId: op.delivery.projectId, alertId: alert.id, what: "resolved" });
    effects.activity.push(activityLine(alert.id, "recovered", `logged a recovery alert from **${source}**`));
    effects.activity.push(activityLine(alert.id, "status", "changed the status to **Resolved**"));
    const { incidentId } = alert;
    const incidentIid = incidentIids.get(incidentId ?? 0);
    if (incidentId === null || incidentIid === undefined) continue;
    incidentIids.delete(incidentId);
    effects.activity.push(activityLine(alert.id, "incident", `closed incident #${incidentIid}`));
    const body = `closed this incident: alert #${alert.iid} recovered`;
    effects.notes.push({ incidentId, authorId: botId, body });
    effects.incidents.push({
      action: "closed",
      projectId: op.delivery.projectId,
      incidentId,
      iid: incidentIid,
      title: alert.title,
      authorId: botId,
      at: alert.at,
    });
  }
}
