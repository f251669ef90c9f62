/** Sends messages now that wait for a time that was wrong. */
import type { Queries } from "../platform/db.ts";
import { updateDueAhead } from "./store.ts";

/** Called when a time that the clock had was wrong (decision 0292): they would wait until it comes. */
export async function pullBackMessages(db: Queries): Promise<void> {
  await updateDueAhead(db);
}
