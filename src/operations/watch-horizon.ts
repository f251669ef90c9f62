/** Notices that a transaction anywhere on the server holds up the arrival of events (decisions 0026, 0317). */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { findHeldSeconds, updateHorizon } from "./store-event-numbers.ts";

/** Notes when the horizon moved; runs often enough to tell minutes. */
export async function noteHorizon({ db }: Pick<Platform, "db">): Promise<void> {
  await updateHorizon(db);
}

/** Since how many seconds, to half a minute, new events have reached neither readers nor hooks; 0: they do. */
export function heldSeconds(db: Queries): Promise<number> {
  return findHeldSeconds(db);
}
