/** Makes several operations part of one transaction, though each would open its own. */
import type { Db, Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";

/** Returns a platform whose transactions are all `tx`, so that several operations succeed or fail together. */
export function withinTransaction(platform: Platform, tx: Queries): Platform & { db: Db } {
  const db: Db = {
    ...tx,
    pooled: tx,
    searching: tx,
    connect: async () => {},
    transaction: (work) => work(tx),
    load: () => platform.db.load(),
    close: async () => {},
  };
  return { ...platform, db };
}
