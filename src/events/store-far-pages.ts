/**
 * Reads pages far from the beginning of a list: finds their keys in the index alone, and from 10,000 events on begins at their
 * day.
 */
import type { Db } from "../platform/db.ts";
import { integer, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Event, EventRow } from "./event.ts";
import type { SoughtQuery } from "./filter.ts";
import { dayAtPlace, hasDays } from "./store-days.ts";
import { columns, named, shown } from "./store-pages.ts";
import { findSummary, type ListedEvents, type Summary } from "./store-summary.ts";
import { totalOf, versionOf } from "./store-totals.ts";
import { isOfSubject, matches, mayBeSeen, placeOfEach, rightsAnd } from "./store-visible.ts";

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
  const { filter, offset } = query;
  if (filter.sort !== "asc" && offset < SOUGHT_BY_DAY) {
    const page = await readAtOnce(db, query);
    if (page) return page;
  }
  // The summary is read first: a tag must not stand for events that its answer did not have.
  const summary = await findSummary(db, query);
  if (!summary) return undefined;
  const { total, version } = summary;
  return { events: offset < total ? await readMeasured(db, query, summary) : [], total, version };
}

const FarRow = row({ ...EventRow.columns, total: integer, version: text });

/**
 * Reads the page and the summary in one statement (decision 0215), and no events if the list has too few. Undefined when the page
 * is empty: the statement then returns no summary.
 */
async function readAtOnce(db: Db, query: SoughtQuery): Promise<ListedEvents | undefined> {
  const { limit, offset } = query;
  const whole = sql`select ${totalOf(query)} as total, ${versionOf(query)} as version`;
  const wanted = sql`(select case when total > ${offset} then ${limit} else 0 end from whole)`;
  const events = await db.pooled.many(
    FarRow,
    sql`with ${rightsAnd(query)}, whole as materialized (${whole}), ${pageByKeys(query, { limit: wanted, offset: sql`${offset}` })}
    select ${shown}, whole.total, whole.version from page ${named} cross join whole
    order by page.created_at desc, page.id desc`,
  );
  const [first] = events;
  return first && { events, total: first.total, version: first.version };
}

/**
 * Reads the page by the total of the list: an ascending list is read backwards from its newest event, and a page very far from
 * that from its own day on.
 */
async function readMeasured(db: Db, query: SoughtQuery, { total, owns }: Summary): Promise<Event[]> {
  const { filter, limit, offset } = query;
  const turned = filter.sort === "asc";
  const begins = turned ? Math.max(0, total - offset - limit) : offset;
  const wanted = Math.min(limit, total - offset);
  // The counts of days do not include what the asker only sees as its author.
  const start = begins >= SOUGHT_BY_DAY && !owns && hasDays(query) ? dayAtPlace(query, begins) : undefined;
  const rows = await db.pooled.many(
    EventRow,
    sql`with ${rightsAnd(query)}${start ? sql`, start as materialized (${start})` : sql``},
      ${pageByKeys(query, {
        limit: sql`${wanted}`,
        offset: start ? sql`${begins}::bigint - (select before from start)` : sql`${begins}::bigint`,
        since: start && sql`e.created_at < (select day + 1 from start)::timestamp at time zone 'UTC'`,
      })}
    select ${shown} from page ${named} order by page.created_at desc, page.id desc`,
  );
  return turned ? rows.reverse() : rows;
}

/**
 * The part `page` of a statement, newest first, after `rightsAnd`: its keys are found in the index alone, and the rest is joined.
 */
function pageByKeys(query: SoughtQuery, at: { limit: Sql; offset: Sql; since?: Sql | undefined }): Sql {
  const { filter } = query;
  return sql`keys as materialized (select e.created_at, e.id from events e ${placeOfEach(query, filter)}
      where ${isOfSubject(query)} and ${matches(filter)} and ${mayBeSeen(query)} ${at.since ? sql`and ${at.since}` : sql``}
      order by e.created_at desc, e.id desc limit ${at.limit} offset ${at.offset}),
    page as (select ${columns} from keys join events e on e.created_at = keys.created_at and e.id = keys.id)`;
}
