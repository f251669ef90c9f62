/** The platform as verbs see it inside one transaction: what they would commit becomes part of that. */
import type { Db, Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";

/** A platform whose transactions all are `tx`, so that many verbs succeed or fail together. */
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
