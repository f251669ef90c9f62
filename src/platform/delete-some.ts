/** Deletes a batch of rows of a table by `ctid`, which needs no key and no order. */
import type { Queries } from "./db.ts";
import { type Sql, sql } from "./sql.ts";

/**
 * Deletes at most `most` rows that match `old`, a condition on the columns of the table; returns their number. Locked rows are
 * skipped, so that of two concurrent runs neither finds nothing while many rows are left.
 */
export function deleteSome(db: Queries, table: Sql, old: Sql, most: number): Promise<number> {
  return db.run(
    sql`delete from ${table} where ctid = any (array(select ctid from ${table} where ${old} limit ${most} for update skip locked))`,
  );
}
