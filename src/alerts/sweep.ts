/**
 * Deletes test alerts after a day, kept answers and early recoveries after three, and receipts after ninety (contract-alerts,
 * test alert).
 */
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { deleteOldAnswers, deleteOldTestAlerts } from "./store.ts";
import { deleteOldEarlyRecoveries } from "./store-early-recoveries.ts";
import { deleteOldOccurrences, deleteOldReceipts } from "./store-receipts.ts";

/** Small enough that senders never wait noticeably for a sweep. */
const ROUND = { portion: 5000, mostPortions: 100 };

/** Runs one round of deletion; the rest is deleted in the next. */
export async function sweepAlerts({ db }: Platform): Promise<void> {
  for (const remove of [
    deleteOldTestAlerts,
    deleteOldAnswers,
    deleteOldEarlyRecoveries,
    deleteOldOccurrences,
    deleteOldReceipts,
  ]) {
    await inPortions((most) => remove(db.pooled, most), ROUND);
  }
}
