/** Statements about the days on which users were last active. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { day, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";

/** Users who were active on the day or later, a text like `2026-11-21`; undefined: six months ago. */
const active = (from: string | undefined): Sql =>
  sql`users u where u.last_activity_on >= coalesce(${from ?? null}::date, (current_date - interval '6 months')::date)`;

/** A page of these users, the least recent first. */
export function listActivities(
  db: Queries,
  from: string | undefined,
  page: { limit: number; offset: number },
) {
  return db.many(
    row({ username: text, lastActivityOn: day }),
    sql`select u.username, u.last_activity_on from ${active(from)}
      order by u.last_activity_on, u.id limit ${page.limit} offset ${page.offset}`,
  );
}

export function countActivities(db: Queries, from: string | undefined): Promise<number> {
  return countOf(db, sql`select count(*) as n from ${active(from)}`);
}
