/** Deletes deliveries that were sent or given up long ago. */
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { deleteFinished } from "./store.ts";

/** How long finished deliveries and their tries are kept. */
const KEPT_DAYS = 30;

export async function sweepOutbox({ db }: Platform): Promise<void> {
  await inPortions(() => deleteFinished(db.pooled, KEPT_DAYS));
}
