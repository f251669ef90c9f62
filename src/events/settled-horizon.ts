/** Where arrivals stand, as a position that outlasts a crash of the database (decision 0026). */
import type { Db } from "../platform/db.ts";
import type { Horizon } from "./position.ts";
import { findHorizon, settleTransactions } from "./store-arrivals.ts";

/** Readers of a process who come together wait for one. */
const running = new WeakMap<Db, Promise<bigint>>();

/**
 * The horizon, once a crash cannot take it back: what was rolled back need not have reached the disk, and PostgreSQL would give its
 * numbers once more, to events that a reader who stands behind them never sees.
 */
export async function findSettledHorizon(db: Db): Promise<Horizon> {
  const now = await findHorizon(db);
  let until = BigInt(now.settled);
  // One that was begun before the horizon was read may settle less.
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
