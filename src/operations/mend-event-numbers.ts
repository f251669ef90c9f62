/** Events in a database whose transaction numbers are another server's, as after `pg_dump`, continue to arrive (decision 0317). */
import { type Connection, openCopyLane } from "../platform/copy.ts";
import type { Queries } from "../platform/db.ts";
import { beginEventEpoch, hasForeignNumbers, lockStarts, renumberEvents } from "./store-event-numbers.ts";

/**
 * If another server gave numbers that this one has yet to give, the events that are there count as arrived before now, and another
 * epoch begins. Returns whether that was so. Of several processes that start one does it.
 * @param db for the look alone
 * @param owner the connection as the owner of the tables
 */
export async function mendEventNumbers(db: Queries, owner: Connection): Promise<boolean> {
  if (!(await hasForeignNumbers(db))) return false;
  const lane = await openCopyLane(owner);
  try {
    return await lane.transaction(async (tx) => {
      await lockStarts(tx);
      if (!(await hasForeignNumbers(tx))) return false;
      await renumberEvents(tx);
      await beginEventEpoch(tx);
      return true;
    });
  } finally {
    await lane.close();
  }
}
