/**
 * Parts of statements that find days by counts instead of events: the day on which a far page begins, and the days that hold rare
 * events.
 */
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { isFiltered, isOfAllKinds, type SoughtQuery, spanOf } from "./filter.ts";
import { isOfKind } from "./store-filter.ts";
import { daysOf, mayOwn, overdueOf, sumsOfDays } from "./store-totals.ts";
import { isOpen, isOwnMatter, ofPlace, ofSubject, placeOfEach, places } from "./store-visible.ts";
import { isWide } from "./subject.ts";
import { DAY_MS, dayOf } from "./utc-day.ts";

/**
 * Whether the days of a list can be found by counts: for many projects only if all kinds are asked for, and never for parts of a
 * day.
 */
export function hasDays({ subject, filter }: SoughtQuery): boolean {
  const { to } = spanOf(filter);
  if (to && to.getTime() % DAY_MS) return false;
  return !isWide(subject) || isOfAllKinds(filter);
}

/**
 * After `rightsAnd`, for a list that `hasDays`: the `day` of the event at this place, counted from 0 and from the newest, and how
 * many events are newer than that day (`before`). The caller must exclude lists with events that only their author sees.
 */
export function dayAtPlace(query: SoughtQuery, place: Sql): Sql {
  const { from, to } = spanOf(query.filter);
  const isWithin = sql`day >= coalesce(${from ? dayOf(from) : null}::date, '-infinity')
    and day < coalesce(${to ? dayOf(to) : null}::date, 'infinity')`;
  return sql`select day, (through - n)::bigint as before from (
      select day, n, sum(n) over (order by day desc) as through from (
        select day, sum(n) as n from (${countsOf(query)}) counted where ${isWithin} group by day) by_day) run
    where through > ${place} order by day desc limit 1`;
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

/** The most days that a page can need: its first and last day may hold nothing of it, the others hold something. */
const daysFor = ({ offset, limit }: SoughtQuery) => offset + limit + 2;

/**
 * After `rightsAnd`, for a list that `asksForKinds`: the first days (`day`) that hold events of the list, for many projects with
 * the project (`project_id`). Some may hold none that is still shown; no day that does is left out.
 */
export function daysHolding(query: SoughtQuery, order: Sql): Sql {
  const { subject, filter } = query;
  const isSeen = mayOwn(query) ? sql`(${isOpen(query)} or ${isOwnMatter(query)})` : isOpen(query);
  const chosen = sql`e.n > 0 and ${isOfKind(filter)} and ${isSeen} and ${isInReach(query)}`;
  // A day is taken with all projects that have events on it: the time of day decides their order.
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

/** Of `e`: the day is within the two years, the interval of the filter, and what is left after the cursor. */
function isInReach({ filter, from: cursor }: SoughtQuery): Sql {
  const { from, to } = spanOf(filter);
  const at = cursor && dayOf(cursor.createdAt);
  return joinSql(
    [
      sql`e.day >= event_edge()`,
      from && sql`e.day >= ${dayOf(from)}::date`,
      to && sql`e.day <= ${dayOf(to)}::date`,
      at && (filter.sort === "asc" ? sql`e.day >= ${at}::date` : sql`e.day <= ${at}::date`),
    ],
    " and ",
  );
}

/** After `rightsAnd`: whether `daysHolding` returns all days there are. */
export function hasFewDays(query: SoughtQuery, order: Sql): Sql {
  return sql`((select count(*) from (${daysHolding(query, order)}) held) < ${daysFor(query)}::bigint)`;
}
