/** Holds a name in a transaction, where there is no row to hold. */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

/** Makes others who would hold the same name wait until the transaction ends. @param name of what it stands for, then which */
export function lockName(tx: Queries, name: string): Promise<number> {
  return tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`gatehouse ${name}`}, 0))`);
}
