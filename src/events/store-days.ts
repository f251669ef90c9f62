/** Parts of statements that find days by counts instead of events: where a far page begins, and which hold what is rare. */
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { isFiltered, isOfAllKinds, isWide, type SoughtQuery, spanOf } from "./filter.ts";
import { daysOf, mayOwn, overdueOf, sumsOfDays } from "./store-totals.ts";
import { isOfKind, isOpen, isOwnMatter, ofPlace, ofSubject, placeOfEach, places } from "./store-visible.ts";

const DAY_MS = 86_400_000;

/** Whether the days of a list are counted: of many projects only where all kinds are asked for, and never parts of a day. */
export function hasDays({ subject, filter }: SoughtQuery): boolean {
  const { to } = spanOf(filter);
  if (to && to.getTime() % DAY_MS) return false;
  return !isWide(subject) || isOfAllKinds(filter);
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
  return sql`${isWide(subject) ? sumsOfDays(query) : sql`select e.day, e.n from ${daysOf(query)} e ${joined} where ${chosen}`}
    union all select e.day, e.n from event_deltas e ${joined} where ${chosen}
    union all select e.day, -1 from (select * from ${overdueOf(query)}) e ${joined} where ${chosen}`;
}

/** As many days as the page could need at most: its first and its last may hold nothing of it, others something. */
const daysFor = ({ offset, limit }: SoughtQuery) => offset + limit + 2;

/**
 * Behind `rightsAnd`, of a list that `asksForKinds`: the first days (`day`) of the list that hold something of it, of lists over
 * many projects with the project (`project_id`). A few may hold nothing that is still shown; none that does is left out.
 */
export function daysHolding(query: SoughtQuery, order: Sql): Sql {
  const { subject, filter } = query;
  const isSeen = mayOwn(query) ? sql`(${isOpen(query)} or ${isOwnMatter(query)})` : isOpen(query);
  const chosen = sql`e.n > 0 and ${isOfKind(filter)} and ${isSeen} and ${isInReach(query)}`;
  // A day is taken with all projects that hold something on it: which of them is first, the hours decide.
  const ordered = sql`order by day ${order} fetch first (${daysFor(query)}::bigint) rows with ties`;
  if (!isWide(subject)) {
    const of = (days: Sql) => sql`(select e.day from ${days} e ${placeOfEach(query, filter)}
      where ${ofSubject(query)} and ${chosen} group by e.day ${ordered})`;
    return sql`select day from (${of(daysOf(query))} union ${of(sql`event_deltas`)}) held ${ordered}`;
  }
  const each = sql`select ${ofPlace} from projects p cross join rights r where ${ofSubject(query)} offset 0`;
  return sql`select day, project_id from (
      select held.day, mine.id as project_id from (${each}) mine cross join lateral (
        select e.day from ${daysOf(query)} e, (select mine.*) p, rights r
        where e.project_id = mine.id and ${chosen} group by e.day ${ordered}) held
      union select e.day, e.project_id from event_deltas e ${places(query, filter)}
        where ${ofSubject(query)} and ${chosen}) held ${ordered}`;
}

/** Of `e`: the day is within the two years, the time of the filter, and what the cursor has left. */
function isInReach({ filter, from: cursor }: SoughtQuery): Sql {
  const { from, to } = spanOf(filter);
  const at = cursor && dayOf(cursor.createdAt);
  return joinSql(
    [
      sql`e.day >= event_edge()`,
      ...(from ? [sql`e.day >= ${dayOf(from)}::date`] : []),
      ...(to ? [sql`e.day <= ${dayOf(to)}::date`] : []),
      ...(at ? [filter.sort === "asc" ? sql`e.day >= ${at}::date` : sql`e.day <= ${at}::date`] : []),
    ],
    " and ",
  );
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

/** Behind `rightsAnd`: whether the days of `daysHolding` are all there are. */
export function hasFewDays(query: SoughtQuery, order: Sql): Sql {
  return sql`((select count(*) from (${daysHolding(query, order)}) held) < ${daysFor(query)}::bigint)`;
}
