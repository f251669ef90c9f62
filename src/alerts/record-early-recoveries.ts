/** Keeps recoveries that arrive before their firings, in projects where late firings open no alert (reference alerts D4). */
import type { Queries } from "../platform/db.ts";
import { newestStart, type Op } from "./batch.ts";
import type { Reach } from "./reach.ts";
import { keepEarlyRecoveries, takeEarlyRecoveries } from "./store-early-recoveries.ts";

/** Stores recoveries that matched no open alert, for projects with the setting (decision 0180). */
export async function keepEarly(tx: Queries, orphans: readonly Op[], { projects }: Reach): Promise<void> {
  const early = orphans.filter(
    ({ delivery, grouped }) => grouped && projects.get(delivery.projectId)?.keepsResolved,
  );
  if (early.length === 0) return;
  await keepEarlyRecoveries(
    tx,
    early.map(({ delivery, hash, report }) => ({
      projectId: delivery.projectId,
      hash,
      endedAt: report.endedAt?.toISOString() ?? null,
    })),
  );
}

/**
 * Returns, by index, when firings had ended according to a recovery that arrived before them; needs no query without the
 * setting.
 */
export async function findEnds(
  tx: Queries,
  firings: readonly (readonly [Op, ...Op[]])[],
  { projects }: Reach,
): Promise<ReadonlyMap<number, Date>> {
  const asked = firings.flatMap((ops, ord) => {
    const [{ delivery, hash, grouped }] = ops;
    const { projectId } = delivery;
    const began = grouped && projects.get(projectId)?.keepsResolved ? newestStart(ops) : undefined;
    return began ? [{ ord, projectId, hash, began: began.toISOString() }] : [];
  });
  if (asked.length === 0) return new Map();
  return new Map((await takeEarlyRecoveries(tx, asked)).map(({ ord, endedAt }) => [ord, endedAt]));
}
