/** Reads the number that a counting statement returns. */
import type { Queries } from "./db.ts";
import { integer, row } from "./row.ts";
import type { Sql } from "./sql.ts";

const CountRow = row({ n: integer });

/** Returns the number named `n` in the statement's only row, as in `select count(*) as n`. */
export async function countOf(db: Queries, statement: Sql): Promise<number> {
  return (await db.one(CountRow, statement)).n;
}
