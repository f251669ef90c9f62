/**
 * Reads pages far from the beginning of a list: finds their keys in the index alone, and from 10,000 events on begins at their
 * day.
 */
import type { Db } from "../platform/db.ts";
import { boolean, integer, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { EventRow } from "./event.ts";
import type { SoughtQuery } from "./filter.ts";
import { dayAtPlace, hasDays } from "./store-days.ts";
import { matches } from "./store-filter.ts";
import { eventColumns, joinShown, shownColumns } from "./store-pages.ts";
import { findSummary, type ListedEvents } from "./store-summary.ts";
import { ownsAny, totalOf, versionOf } from "./store-totals.ts";
import { isOfSubject, mayBeSeen, placeOfEach, rightsAnd } from "./store-visible.ts";

/** From this offset on it pays to read the keys alone first. */
const FAR = 1000;
/** From this offset on it pays to find the day of a page first, which sums the days of the list: 16 ms for 50,000 events. */
const SOUGHT_BY_DAY = 10_000;

/** Whether a page is read by its keys; the text that a search looks in is not in the index. */
export function isFar({ offset, filter }: SoughtQuery): boolean {
  return offset >= FAR && filter.search === undefined;
}

/** Reads a page that `isFar`; undefined when there is no such project or person, or the asker may not see it. */
export async function readFarPage(db: Db, query: SoughtQuery): Promise<ListedEvents | undefined> {
  const { filter, offset, limit } = query;
  const turned = filter.sort === "asc";
  if (!turned && offset < SOUGHT_BY_DAY) {
    const page = await readAtOnce(db, query);
    if (page) return page;
  }
  // The summary is read first: a tag must not stand for events that its answer did not have.
  const summary = await findSummary(db, query);
  if (!summary) return undefined;
  const { total, version, owns } = summary;
  const none = { events: [], total, version };
  if (offset >= total) return none;
  // It may have changed when the page is read, which only makes the other way slower or faster.
  const begins = turned ? total - offset - limit : offset;
  const page = await readAtOnce(db, query, begins >= SOUGHT_BY_DAY && !owns && hasDays(query));
  return page ?? none;
}

const FarRow = row({ ...EventRow.columns, total: integer, version: text, owns: boolean });

/**
 * Reads the page and the summary in one statement (decision 0215), and no events if the list has too few. An ascending list is
 * read backwards from its newest event: by a total that was read before, it would lose as many events as arrive meanwhile.
 * Undefined when the page is empty: the statement then returns no summary.
 * @param byDay whether it begins at the day of the page
 */
async function readAtOnce(db: Db, query: SoughtQuery, byDay = false): Promise<ListedEvents | undefined> {
  const { filter, limit, offset } = query;
  const turned = filter.sort === "asc";
  const whole = sql`select ${totalOf(query)} as total, ${versionOf(query)} as version, ${ownsAny(query)} as owns`;
  const wanted = sql`(select greatest(0, least(${limit}::bigint, total - ${offset}::bigint)) from whole)`;
  const begins = turned
    ? sql`(select greatest(0, total - ${offset}::bigint - ${limit}::bigint) from whole)`
    : sql`${offset}::bigint`;
  const events = await db.pooled.many(
    FarRow,
    sql`with ${rightsAnd(query)}, whole as materialized (${whole}),
      ${byDay ? sql`start as materialized (${dayAtPlace(query, begins)}),` : sql``}
      ${pageByKeys(query, {
        limit: wanted,
        offset: byDay ? sql`${begins} - (select before from start)` : begins,
        since: byDay && sql`e.created_at < (select day + 1 from start)::timestamp at time zone 'UTC'`,
      })}
    select ${shownColumns}, whole.total, whole.version, whole.owns from page ${joinShown} cross join whole
    order by page.created_at desc, page.id desc`,
  );
  const [first] = events;
  // The counts of days do not include what the asker only sees as its author.
  if (byDay && first?.owns) return readAtOnce(db, query);
  return first && { events: turned ? events.reverse() : events, total: first.total, version: first.version };
}

/**
 * The part `page` of a statement, newest first, after `rightsAnd`: its keys are found in the index alone, and the rest is joined.
 */
function pageByKeys(query: SoughtQuery, at: { limit: Sql; offset: Sql; since?: Sql | false }): Sql {
  const { filter } = query;
  return sql`keys as materialized (select e.created_at, e.id from events e ${placeOfEach(query, filter)}
      where ${isOfSubject(query)} and ${matches(filter)} and ${mayBeSeen(query)} ${at.since ? sql`and ${at.since}` : sql``}
      order by e.created_at desc, e.id desc limit ${at.limit} offset ${at.offset}),
    page as (select ${eventColumns} from keys join events e on e.created_at = keys.created_at and e.id = keys.id)`;
}
