/** Statements that count a person's contributions by the days of a time zone (contract-events §4, calendar). */
import type { Db, Queries } from "../platform/db.ts";
import { day, instant, integer, oneOf, type RowOf, row } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import type { EventQuery } from "./filter.ts";
import { mayBeSeen, ofSubject, places, rightsAnd } from "./store-visible.ts";

const ContributionRow = row({ day, kind: oneOf(["push", "comment", "issue", "merge_request"]), n: integer });
export type Contribution = RowOf<typeof ContributionRow>;

/** Days of a time zone, both inclusive. */
export interface Days {
  from: string;
  to: string;
  /** A name of the time zone database. */
  zone: string;
}

/**
 * The contributions of an author by day and kind, as far as the asker may see them. Each event counts for its local day in the
 * time zone, so days of 23 and 25 hours are right.
 */
export function listContributions(
  db: Db,
  query: Pick<EventQuery, "subject" | "asker">,
  { from, to, zone }: Days,
): Promise<Contribution[]> {
  return db.pooled.many(
    ContributionRow,
    sql`with ${rightsAnd(query)}
      select (e.created_at at time zone ${zone}::text)::date as day, kinds.kind, count(*) as n
      from events e ${places(query)} cross join lateral (select case
        when e.action = 'pushed' then 'push'
        when e.action = 'commented' then 'comment'
        when e.target_type in ('Issue', 'WorkItem', 'Incident') and e.action in ('created', 'closed') then 'issue'
        when e.target_type = 'MergeRequest' and e.action in ('created', 'closed', 'merged', 'approved')
          then 'merge_request' end as kind) kinds
      where ${ofSubject(query)} and kinds.kind is not null and ${mayBeSeen(query)}
        and e.created_at >= greatest(now() - interval '2 years', ${beginningOf(sql`${from}::date`, zone)})
        and e.created_at < least(now() + interval '1000 years', ${beginningOf(sql`(${to}::date + 1)`, zone)})
      group by 1, 2`,
  );
}

/** Beginning and end of a day in a time zone, by the database's time zone data. */
export function findDay(db: Queries, on: string, zone: string) {
  return db.one(
    row({ from: instant, to: instant }),
    sql`select ${beginningOf(sql`${on}::date`, zone)} as from, ${beginningOf(sql`(${on}::date + 1)`, zone)} as to`,
  );
}

/** If a clock is set back over midnight, the database takes the second of the two midnights: the day began an hour before. */
function beginningOf(day: Sql, zone: string): Sql {
  const at = sql`(${day}::timestamp at time zone ${zone}::text)`;
  return sql`(case when (${at} - interval '1 hour') at time zone ${zone}::text >= ${day}::timestamp
    then ${at} - interval '1 hour' else ${at} end)`;
}

/** The present day in a time zone. */
export async function findToday(db: Queries, zone: string): Promise<string> {
  const found = await db.one(row({ day }), sql`select (now() at time zone ${zone}::text)::date as day`);
  return found.day;
}
