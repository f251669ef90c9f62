/** Events in a database whose transaction numbers are another server's, as after `pg_dump`, continue to arrive (decision 0317). */
import { type Connection, openCopyLane } from "../platform/copy.ts";
import type { Queries } from "../platform/db.ts";
import { isLockTimeout } from "../platform/db-errors.ts";
import { Problem } from "../platform/problem.ts";
import { leaveGaps } from "./store-catalog.ts";
import { beginEventEpoch, hasForeignNumbers, lockStarts, renumberEvents } from "./store-event-numbers.ts";

/**
 * If another server gave numbers that this one has yet to give, the events that are there count as arrived before now, and another
 * epoch begins. Returns whether that was so. Of several processes that start one does it.
 * @param db for the look alone
 * @param owner the connection as the owner of the tables
 */
export async function mendEventNumbers(db: Queries, owner: Connection): Promise<boolean> {
  if (!(await hasForeignNumbers(db))) return false;
  return alone(owner, async (tx) => {
    if (!(await hasForeignNumbers(tx))) return false;
    await renumberEvents(tx);
    await beginEventEpoch(tx);
    return true;
  });
}

/**
 * Begins another epoch, so that readers who are ahead of a database that was recovered to an earlier point are told; gives no
 * number of a person or an event again; and renumbers events with numbers of another server. Returns the epoch, and whether
 * events were renumbered.
 * @throws Problem conflict: the events cannot be locked
 */
export function beginAnotherEpoch(owner: Connection): Promise<{ epoch: string; renumbered: boolean }> {
  return alone(owner, async (tx) => {
    const renumbered = await hasForeignNumbers(tx);
    if (renumbered) await renumberEvents(tx).catch(rethrowAsBusy);
    await leaveGaps(tx);
    return { epoch: await beginEventEpoch(tx), renumbered };
  });
}

function rethrowAsBusy(error: unknown): never {
  if (!isLockTimeout(error)) throw error;
  throw new Problem(
    "conflict",
    "Something else reads the events, such as a backup. Nothing was changed; run it again after that.",
  );
}

/** Runs `work` in a transaction of the owner of the tables, without a time limit and beside no other start or migration. */
async function alone<T>(owner: Connection, work: (tx: Queries) => Promise<T>): Promise<T> {
  const lane = await openCopyLane(owner);
  try {
    return await lane.transaction(async (tx) => {
      await lockStarts(tx);
      return work(tx);
    });
  } finally {
    await lane.close();
  }
}
