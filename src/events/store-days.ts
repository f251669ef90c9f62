/** Parts of statements that find the day on which a far page begins, by counts of days instead of events. */
import { type Sql, sql } from "../platform/sql.ts";
import { isFiltered, isWide, type SoughtQuery, spanOf } from "./filter.ts";
import { aroundWith, isAround, isOpenByNamespace, overdueOf, seenOf } from "./store-totals.ts";
import { isOfKind, isOfSubject, isOpen, ofSubject, places, singlesOf } from "./store-visible.ts";

const DAY_MS = 86_400_000;

/** Whether the days of a list are counted: of many projects only where all kinds are asked for, and never parts of a day. */
export function hasDays({ subject, filter }: SoughtQuery): boolean {
  const { to } = spanOf(filter);
  if (to && to.getTime() % DAY_MS) return false;
  const { after: _, before: __, from: ___, to: ____, ...kinds } = filter;
  return !isWide(subject) || !isFiltered(kinds);
}

/**
 * Behind `rightsAnd`, of a list that `hasDays`: the `day` on which the event at this place lies, newest first and from 0, and how
 * many events are newer than that day (`before`). Whether any are seen by their author alone is the caller's to know.
 */
export function dayAtPlace(query: SoughtQuery, place: number): Sql {
  const { from, to } = spanOf(query.filter);
  const isWithin = sql`day >= coalesce(${from?.toISOString().slice(0, 10) ?? null}::date, '-infinity')
    and day < coalesce(${to?.toISOString().slice(0, 10) ?? null}::date, 'infinity')`;
  return sql`select day, (through - n)::bigint as before from (
      select day, n, sum(n) over (order by day desc) as through from (
        select day, sum(n) as n from (${countsOf(query)}) counted where ${isWithin} group by day) by_day) run
    where through > ${place}::bigint order by day desc limit 1`;
}

/** Rows of `day` and `n`. */
function countsOf(query: SoughtQuery): Sql {
  const { subject, filter } = query;
  const joined = places(query, filter);
  const chosen = sql`${ofSubject(query)} and ${isFiltered(filter) ? isOfKind(filter) : sql`true`} and ${isOpen(query)}`;
  return sql`${isWide(subject) ? sumsOf(query) : sql`select e.day, e.n from event_days e ${joined} where ${chosen}`}
    union all select e.day, e.n from event_deltas e ${joined} where ${chosen}
    union all select e.day, -1 from (select * from ${overdueOf(query)}) e ${joined} where ${chosen}`;
}

/** What namespaces open, and single projects in which the asker has a role of their own: all kinds of events (`hasDays`). */
function sumsOf(query: SoughtQuery): Sql {
  return sql`select s.day, ${seenOf(query)} as n from ${aroundWith(query, sql`event_day_sums where`)}
    union all select e.day, e.n from event_days e ${places(query)}
      where e.project_id = any (${singlesOf(query)}) and ${isOfSubject(query)} and ${isOpen(query)}
        and not (${isAround(query, sql`p.lineage`)} and ${isOpenByNamespace(query)})`;
}
