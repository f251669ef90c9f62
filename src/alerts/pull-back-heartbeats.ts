/** Corrects heartbeats that would not be missed until a time that was wrong. */
import type { Queries } from "../platform/db.ts";
import { updateDueAhead } from "./store-heartbeats.ts";

/** Called when a time that the clock had was wrong (decision 0292). Each gets an interval from now on. */
export async function pullBackHeartbeats(db: Queries): Promise<void> {
  await updateDueAhead(db);
}
