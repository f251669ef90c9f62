/** Removes what was sent or given up long ago. */
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { deleteFinished } from "./store.ts";

/** How long ended deliveries and their tries stay readable. */
const KEPT_DAYS = 30;

export async function sweepOutbox({ db }: Platform): Promise<void> {
  await inPortions(() => deleteFinished(db.pooled, KEPT_DAYS));
}
