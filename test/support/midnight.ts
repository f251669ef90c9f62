/** Tests that name the day which it is. */
import { setTimeout as sleep } from "node:timers/promises";

const DAY_MS = 86_400_000;

/** Leaves at least a minute of the day (UTC) to what follows. */
export async function awayFromMidnight(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  // A timer may wake a moment early.
  if (left < 60_000) await sleep(left + 100);
}
