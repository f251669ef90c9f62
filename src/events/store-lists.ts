/** Statements that list events: permission is part of the query, so pages are full and totals exact. */
import type { Db, Queries } from "../platform/db.ts";
import { boolean, integer, type RowOf, row, text } from "../platform/row.ts";
import { sharedAnswers } from "../platform/shared-answer.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Event, EventRow } from "./event.ts";
import type { EventQuery, SoughtQuery } from "./filter.ts";
import { type Hint, hintFor, type Reach } from "./reach.ts";
import { dayAtPlace, hasDays, hasFewDays } from "./store-days.ts";
import { lookAtRoles } from "./store-many-roles.ts";
import {
  columns,
  named,
  namedOf,
  orderOf,
  PageRow,
  pageOf,
  readPage,
  readPageApart,
  shown,
} from "./store-pages.ts";
import { openTotalOf, ownsAny, totalOf, versionOf } from "./store-totals.ts";
import { isOfSubject, matches, mayBeSeen, placeOfEach, rightsAnd } from "./store-visible.ts";

/** A page with how many events there are in all, and what changes whenever the list would (decision 0094). */
export interface ListedEvents {
  events: readonly Event[];
  total: number;
  version: string;
}

/** Lists a page of a subject that is known to be visible. */
export async function listEvents(db: Db, query: EventQuery): Promise<ListedEvents> {
  return (await findEvents(db, query)) ?? { events: [], total: 0, version: "" };
}

/**
 * Lists a page; undefined when there is no such project or person, or the asker may not see it. What is not quickly read, or not
 * known to be, is read once for all who ask for the same page of the same list as the same person at that time (decision 0214).
 */
export function findEvents(db: Db, query: SoughtQuery): Promise<ListedEvents | undefined> {
  const hint = hintFor(query);
  if (hint.isCheap && !isDeep(query)) return readList(db, query, hint);
  return readTogether(db, questionOf(query), () => readList(db, query, hint));
}

const readTogether = sharedAnswers<ListedEvents | undefined>();

/** All that an answer depends on, beside what is in the database. */
function questionOf({ subject, asker, filter, limit, offset, from }: SoughtQuery): string {
  return JSON.stringify([subject, asker?.id, asker?.isAdmin, filter, limit, offset, from]);
}

/** From here on a page finds its keys in the index alone, and joins the rest to them. */
const DEEP = 1000;
const isDeep = ({ offset, filter }: SoughtQuery) => offset >= DEEP && filter.search === undefined;

/**
 * One statement as a rule: a list that needed to look further back than expected is remembered, and so is how a sparse one is
 * best read.
 */
async function readList(db: Db, query: SoughtQuery, hint: Hint): Promise<ListedEvents | undefined> {
  if (isDeep(query) && !isMeasured(query)) return readDeep(db, query);
  const looksFurther = async () => !(await isAllOf(db, query, hint.reach)) && hint.widen();
  for (;;) {
    if (hint.reach.way === undefined || isDeep(query)) {
      const summary = await findSummary(db, query);
      if (!summary) return undefined;
      const { total, version } = summary;
      if (total <= query.offset) return { events: [], total, version };
      hint.choose(summary);
      if (isDeep(query)) return { total, version, events: await listDeep(db, query, summary) };
    }
    const begun = performance.now();
    const { rows, together } = await (hint.isCheap
      ? readPage(db, query, hint.reach)
      : readPageApart(db, query, hint.reach));
    const took = performance.now() - begun;
    hint.took(took, together);
    if (took / together > SLOW_MS) await lookAtRoles(db, query.asker);
    const [first] = rows;
    if (!first) {
      // Without words or a cursor, what is counted tells at once whether there is anything in the past to look for.
      const isCounted = query.filter.search === undefined && !query.from;
      if (!isCounted && (await looksFurther())) continue;
      const summary = await findSummary(db, query);
      if (isCounted && summary && summary.total > query.offset && hint.widen()) continue;
      return summary && { events: [], total: summary.total, version: summary.version };
    }
    const isWhole = !first.owns && !query.from && first.total <= query.offset + rows.length;
    if (rows.length < query.limit && !isWhole && (await looksFurther())) continue;
    if (!first.owns) return { events: rows, total: first.total, version: first.version };
    const summary = await findSummary(db, query);
    return { events: rows, total: summary?.total ?? 0, version: first.version };
  }
}

/** Whether a far page is read by how many events the list has: from its end, or from the day on which the page lies. */
const isMeasured = ({ filter, offset }: SoughtQuery) => filter.sort === "asc" || offset >= SOUGHT_BY_DAY;

/** Whether a page that is not full was read from all days there are. */
async function isAllOf(db: Db, query: SoughtQuery, { way }: Reach): Promise<boolean> {
  if (way !== "days") return false;
  const few = hasFewDays(query, orderOf(query));
  return (await db.pooled.one(row({ few: boolean }), sql`with ${rightsAnd(query)} select ${few} as few`)).few;
}

/** A list that takes longer may be that of somebody who has roles in very many projects. */
const SLOW_MS = 10;
/** From here on it pays to find the day of a page first, which sums the days of the list: 16 ms for 50,000 events. */
const SOUGHT_BY_DAY = 10_000;

const SummaryRow = row({ total: integer, version: text, owns: boolean, all: integer });
export type Summary = RowOf<typeof SummaryRow>;

/** What is known of a list without reading events: enough to say that it is still the same. */
export function findSummary(db: Db, query: SoughtQuery): Promise<Summary | undefined> {
  const { subject } = query;
  const isNamed = subject !== "memberships" && ("reference" in subject || "person" in subject);
  const found = isNamed && ("person" in subject ? sql`from person` : sql`from place`);
  return db.pooled.find(
    SummaryRow,
    sql`with ${rightsAnd(query)} select ${totalOf(query)} as total, ${versionOf(query)} as version, ${ownsAny(query)} as owns,
      (select coalesce(sum(n_open + n_code + n_planner + n_reporter), 0)::bigint from event_sums where author_id = 0) as all
      ${found || sql``}`,
  );
}

/** The next events of a list after `query.from`, without what a page says of the whole; `way` as in `Reach`. */
export function listPiece(db: Db, query: EventQuery, way: "time" | "projects"): Promise<Event[]> {
  const order = orderOf(query);
  return db.pooled.many(
    EventRow,
    sql`with ${rightsAnd(query)}, page as materialized (${pageOf(query, order, { floor: undefined, way })})
      select ${shown} from page ${namedOf(query)}
      order by page.created_at ${order}, page.id ${order}`,
  );
}

/**
 * A page far from the beginning, newest first: read in one statement with what it says of the whole, and not looked for where the
 * whole has not so many.
 */
async function readDeep(db: Db, query: SoughtQuery): Promise<ListedEvents | undefined> {
  const { limit, offset } = query;
  const whole = sql`select ${openTotalOf(query)} as total, ${versionOf(query)} as version, ${ownsAny(query)} as owns`;
  const wanted = sql`(select case when total > ${offset} or owns then ${limit} else 0 end from whole)`;
  const events = await db.pooled.many(
    PageRow,
    sql`with ${rightsAnd(query)}, whole as materialized (${whole}), ${pageByKeys(query, { limit: wanted, offset: sql`${offset}` })}
    select ${shown}, whole.total, whole.version, whole.owns from page ${named} cross join whole
    order by page.created_at desc, page.id desc`,
  );
  const [first] = events;
  if (first && !first.owns) return { events, total: first.total, version: first.version };
  const summary = await findSummary(db, query);
  return summary && { events, total: summary.total, version: first?.version ?? summary.version };
}

/** The same much farther back: the days tell on which day it lies, and a page far from the end of an ascending list is read from the other end. */
async function listDeep(db: Db, query: SoughtQuery, { total, owns }: Summary): Promise<Event[]> {
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

/** Events by their numbers and moment, as their sender may read them again; in the order of their numbers. */
export function listRecorded(db: Queries, ids: readonly number[], createdAt: Date): Promise<Event[]> {
  return db.many(
    EventRow,
    sql`select ${shown} from events page ${named}
      where page.created_at = ${createdAt} and page.id = any (${ids}::bigint[]) order by page.id`,
  );
}
