/** Records firings that arrive after the end of their alert, in projects where those open no alert (reference alerts D4). */
import type { Queries } from "../platform/db.ts";
import { sourceOf } from "./alert.ts";
import { countDeliveries, distinctStarts, newestStart, type Op } from "./batch.ts";
import { activityLine, type Effects, noteEffect, remark } from "./effects.ts";
import type { Reach } from "./reach.ts";
import { recordLateFirings } from "./store-late-firings.ts";

type Firing = readonly [Op, ...Op[]];

/** Records the late firings and returns the others; returns all for projects without the setting (decision 0179). */
export async function withoutLate<F extends Firing>(
  tx: Queries,
  firings: readonly F[],
  effects: Effects,
  { projects }: Reach,
): Promise<readonly F[]> {
  const asked = firings.flatMap((ops, ord) => {
    const [{ delivery, hash, grouped }] = ops;
    const { projectId } = delivery;
    const newest = grouped && projects.get(projectId)?.keepsResolved ? newestStart(ops) : undefined;
    if (!newest) return [];
    const began = newest.toISOString();
    const starts = distinctStarts(ops).map(({ start }) => start);
    return [{ ord, projectId, hash, began, starts, firings: ops.length, deliveries: countDeliveries(ops) }];
  });
  if (asked.length === 0) return firings;
  const late = new Map((await recordLateFirings(tx, asked)).map((alert) => [alert.ord, alert]));
  return firings.filter((ops, ord) => {
    const alert = late.get(ord);
    if (!alert) return true;
    for (const op of ops) {
      noteEffect(effects, op, alert, "late", ops);
      remark(
        effects,
        op.delivery,
        "A firing began before its alert ended; it was counted and opened no alert.",
      );
    }
    const [{ delivery, report }] = ops;
    const source = sourceOf(report.monitoringTool, delivery.integrationName);
    const line = `logged a late alert from **${source}** that began before the end`;
    effects.activity.push(activityLine(alert.id, "fired", line));
    return false;
  });
}
