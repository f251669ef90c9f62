/** Notices that a transaction anywhere on the server holds up the arrival of events (decisions 0026, 0317). */
import type { Platform } from "../platform/platform.ts";
import { updateHorizon } from "./store-event-numbers.ts";

/** Notes when the horizon moved; runs often enough to tell minutes. */
export async function noteHorizon({ db }: Pick<Platform, "db">): Promise<void> {
  await updateHorizon(db);
}
