/** Statements for pages far from the beginning of a list: their keys are read from the index alone, and from 10,000 events on from the day on which they lie. */
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

/** From here on it pays to look for keys alone. */
const FAR = 1000;
/** From here on it pays to find the day of a page first, which sums the days of the list: 16 ms for 50,000 events. */
const SOUGHT_BY_DAY = 10_000;

/** Whether a page is read by its keys; words are not in the index. */
export function isFar({ offset, filter }: SoughtQuery): boolean {
  return offset >= FAR && filter.search === undefined;
}

/** A page that `isFar`; undefined when there is no such project or person, or the asker may not see it. */
export async function readFarPage(db: Db, query: SoughtQuery): Promise<ListedEvents | undefined> {
  const { filter, offset } = query;
  if (filter.sort !== "asc" && offset < SOUGHT_BY_DAY) {
    const page = await readAtOnce(db, query);
    if (page) return page;
  }
  // Never newer than what is read after it: a tag must not stand for events that its answer did not have.
  const summary = await findSummary(db, query);
  if (!summary) return undefined;
  const { total, version } = summary;
  return { events: offset < total ? await readMeasured(db, query, summary) : [], total, version };
}

const FarRow = row({ ...EventRow.columns, total: integer, version: text });

/**
 * In one statement with what is said of the whole (decision 0215), and not looked for where the whole has not so many. Undefined
 * when there is none: such a statement says nothing of the whole.
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

/** By how many events the list has: one far from the end of an ascending list is read from the other end, and one very far from either from its day on. */
async function readMeasured(db: Db, query: SoughtQuery, { total, owns }: Summary): Promise<Event[]> {
  const { filter, limit, offset } = query;
  const turned = filter.sort === "asc";
  const begins = turned ? Math.max(0, total - offset - limit) : offset;
  const wanted = Math.min(limit, total - offset);
  // What the asker sees as its author is in no count of days.
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

/** `page`, newest first, behind `rightsAnd`: its keys are found in the index alone, and the rest is joined to them. */
function pageByKeys(query: SoughtQuery, at: { limit: Sql; offset: Sql; since?: Sql | undefined }): Sql {
  const { filter } = query;
  return sql`keys as materialized (select e.created_at, e.id from events e ${placeOfEach(query, filter)}
      where ${isOfSubject(query)} and ${matches(filter)} and ${mayBeSeen(query)} ${at.since ? sql`and ${at.since}` : sql``}
      order by e.created_at desc, e.id desc limit ${at.limit} offset ${at.offset}),
    page as (select ${columns} from keys join events e on e.created_at = keys.created_at and e.id = keys.id)`;
}
