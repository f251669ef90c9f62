/** For tests that name the current day. */
import { setTimeout as sleep } from "node:timers/promises";

const DAY_MS = 86_400_000;

/** Waits, if necessary, so that at least a minute of the day (UTC) remains. */
export async function awayFromMidnight(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  // A timer may fire slightly early.
  if (left < 60_000) await sleep(left + 100);
}
