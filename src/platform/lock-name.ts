/** Locks a name for a transaction, where there is no row to lock. */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

/** Blocks other transactions that lock the same name until this one ends. @param name the kind of thing, then which one */
export function lockName(tx: Queries, name: string): Promise<number> {
  return tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`gatehouse ${name}`}, 0))`);
}
