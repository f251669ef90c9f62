/** Deletes a portion of the rows of a table, found by their place in it: that needs no key, and waits for no order. */
import type { Queries } from "./db.ts";
import { type Sql, sql } from "./sql.ts";

/**
 * At most so many of those that are `old`, a condition on the columns of the table; returns how many there were. Those that
 * somebody else is changing or deleting are left, so that of two who do it at once neither finds nothing while there is much.
 */
export function deleteSome(db: Queries, table: Sql, old: Sql, most: number): Promise<number> {
  return db.run(
    sql`delete from ${table} where ctid = any (array(select ctid from ${table} where ${old} limit ${most} for update skip locked))`,
  );
}
