/** Removes test alerts after a day and kept answers after three (contract-alerts, test alert). */
import type { Platform } from "../platform/platform.ts";
import { deleteStale } from "./store.ts";

export async function sweepAlerts({ db }: Platform): Promise<void> {
  await deleteStale(db);
}
