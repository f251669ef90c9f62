/** The horizon of arrivals as a position that survives a crash of the database (decision 0026). */
import type { Db } from "../platform/db.ts";
import type { Horizon } from "./position.ts";
import { findHorizon, settleTransactions } from "./store-arrivals.ts";

/** Concurrent readers of a process share one statement. */
const running = new WeakMap<Db, Promise<bigint>>();

/**
 * The horizon, once a crash cannot revert it. Transactions that were rolled back need not have reached the disk, so after a crash
 * PostgreSQL could give their numbers again, to events that a reader with a later position would never see.
 */
export async function findSettledHorizon(db: Db): Promise<Horizon> {
  const now = await findHorizon(db);
  let until = BigInt(now.settled);
  // A statement that began before the horizon was read may settle less.
  while (until < BigInt(now.horizon)) until = await settle(db);
  return now;
}

function settle(db: Db): Promise<bigint> {
  const before = running.get(db);
  if (before) return before;
  const begun = settleTransactions(db.pooled)
    .then(BigInt)
    .finally(() => running.delete(db));
  running.set(db, begun);
  return begun;
}
