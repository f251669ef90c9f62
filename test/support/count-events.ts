/** The total of a list from the sums alone, which list statements include as a part. */
import type { SoughtQuery } from "../../src/events/filter.ts";
import { totalOf } from "../../src/events/store-totals.ts";
import { rightsAnd } from "../../src/events/store-visible.ts";
import { countOf } from "../../src/platform/count-of.ts";
import type { Queries } from "../../src/platform/db.ts";
import { sql } from "../../src/platform/sql.ts";

/** How many events match and are visible. */
export function countEvents(db: Queries, query: SoughtQuery): Promise<number> {
  return countOf(db, sql`with ${rightsAnd(query)} select ${totalOf(query)} as n`);
}
