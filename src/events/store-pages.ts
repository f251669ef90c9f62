/** Statements that read a page of a list; concurrent lists of one kind share a statement (decision 0167). */
import type { Db, Queries } from "../platform/db.ts";
import { dropOldest } from "../platform/drop-oldest.ts";
import { boolean, integer, type RowOf, row, text } from "../platform/row.ts";
import { type Shared, sharedStatement } from "../platform/shared-statement.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { EventRow } from "./event.ts";
import { isFiltered, type SoughtQuery } from "./filter.ts";
import type { ReadPlan } from "./list-hint.ts";
import { daysHolding } from "./store-days.ts";
import { matches, within } from "./store-filter.ts";
import { hasManyRoles } from "./store-many-roles.ts";
import { openTotalOf, ownsAny, versionOf } from "./store-totals.ts";
import {
  isNumber,
  isOfOnePlace,
  isOfSubject,
  mayBeSeen,
  nameOrNumber,
  ofPlace,
  ofSubject,
  placeOfEach,
  rightsAnd,
} from "./store-visible.ts";
import { isWide, type SoughtSubject } from "./subject.ts";
import { OWN } from "./target.ts";

/** The columns with which an event of `page` is shown, after `joinShown`. */
export const shownColumns = sql`page.id, page.created_at, page.project_id, p.name as project_name, p.full_path as project_full_path,
  page.action, page.target_type, page.target_id, page.target_iid, coalesce(t.title, case when page.target_type = 'Project' then p.name end) as target_title, page.push_data,
  page.note, page.wiki_page, page.imported_from, page.external_id, u.id as author_id, u.username as author_username,
  u.name as author_name, u.state as author_state,
  case when page.note is not null then coalesce(t.number, t.id) end as noteable_number,
  coalesce(t.source_id = ${OWN}, false) as is_own`;
const authorAndTarget = sql`join users u on u.id = page.author_id left join event_targets t on t.id = page.target_ref`;
/** Joins author, project and target of `page`. */
export const joinShown = sql`join projects p on p.id = page.project_id ${authorAndTarget}`;
/** The same for the result of `pageSelect`, which contains the names of projects that were read for the permission. */
export function joinShownOf(query: SoughtQuery): Sql {
  return isOfOnePlace(query, query.filter)
    ? joinShown
    : sql`cross join lateral (select page.project_name as name, page.project_full_path as full_path) p ${authorAndTarget}`;
}
/** The columns of `e` that a page needs. */
export const eventColumns = sql`e.id, e.created_at, e.project_id, e.author_id, e.action, e.target_type, e.target_id,
  e.target_iid, e.target_ref, e.push_data, e.note, e.wiki_page, e.imported_from, e.external_id`;

export const PageRow = row({ ...EventRow.columns, total: integer, version: text, owns: boolean });

export type PageRow = RowOf<typeof PageRow>;

/** The result of a page statement: the rows of the list, and how many lists shared the statement. */
export interface ReadPage {
  rows: PageRow[];
  together: number;
}

/** Reads a page of a quick list, together with concurrent requests of its kind if it may share. */
export async function readPage(db: Db, query: SoughtQuery, plan: ReadPlan): Promise<ReadPage> {
  if (!mayShare(query)) return { rows: await db.many(PageRow, pageStatement(query, plan)), together: 1 };
  const page = await sharedFor(query, plan)(db, query);
  return page ?? { rows: [], together: 1 };
}

/** Reads a page on a connection of its own. */
export async function readPageApart(db: Db, query: SoughtQuery, plan: ReadPlan): Promise<ReadPage> {
  return { rows: await db.pooled.many(PageRow, pageStatement(query, plan)), together: 1 };
}

/**
 * Whether others are likely to share: frequent callers ask for first pages, with few kinds of filters and the same days. What is
 * known of a project or group is not among the columns of `q`.
 */
function mayShare({ subject, filter, from }: SoughtQuery): boolean {
  const others = { ...filter, action: undefined, target: undefined, after: undefined, before: undefined };
  const isInColumns = subject.kind !== "project" && subject.kind !== "group";
  return isInColumns && from === undefined && !isFiltered(others);
}

/** Most lists in one statement, as each waits for all of them. */
const MAX_TOGETHER = 16;
/** Most kinds of lists that are remembered; a statement of a forgotten kind still completes. */
const MAX_KINDS = 200;
type SharedPage = Shared<SoughtQuery, ReadPage & { place: number }>;
const kinds = new Map<string, SharedPage>();

/** The shared statement of a kind of lists, which differ only in asker and subject. */
function sharedFor(query: SoughtQuery, plan: ReadPlan): SharedPage {
  const { subject, asker, filter, limit, offset } = query;
  const { floor, way, most } = plan;
  const asks = [subject.kind, isByNumber(subject), asker?.isAdmin, hasManyRoles(asker)];
  const kind = JSON.stringify([asks, filter, limit, offset, floor?.getTime(), way, most]);
  let shared = kinds.get(kind);
  if (!shared) {
    // The plan of a list may change while it is read, so the kind has a copy.
    const own = { floor, way, most };
    shared = sharedStatement((db, queries) => readPages(db, queries, own), { mostTogether: MAX_TOGETHER });
    if (kinds.size >= MAX_KINDS) dropOldest(kinds);
    kinds.set(kind, shared);
  }
  return shared;
}

/** Whether it was asked for by a number, which is looked up by another statement than a name. */
function isByNumber(subject: SoughtSubject): boolean {
  switch (subject.kind) {
    case "reference":
      return isNumber(subject.reference);
    case "person":
      return isNumber(subject.person);
    case "project":
    case "author":
    case "group":
    case "memberships":
      return true;
  }
}

const SharedRow = row({ place: integer, ...PageRow.columns });

/** Reads the pages of several lists of one kind. */
async function readPages(
  db: Queries,
  queries: readonly SoughtQuery[],
  plan: ReadPlan,
): Promise<(ReadPage & { place: number })[]> {
  const [first] = queries;
  if (!first) return [];
  if (queries.length === 1) {
    return [{ place: 1, rows: await db.many(PageRow, pageStatement(first, plan)), together: 1 }];
  }
  const names = queries.map(nameOrNumber);
  const order = orderOf(first);
  const found = await db.many(
    SharedRow,
    sql`select q.place, l.* from unnest((select ${queries.map(({ asker }) => asker?.id ?? null)}::bigint[]),
        (select ${names.map(({ number }) => number)}::bigint[]), (select ${names.map(({ name }) => name)}::text[]))
        with ordinality as q (asker, number, name, place)
      cross join lateral (${pageStatement({ ...first, isShared: true }, plan)}) l
      order by q.place, l.created_at ${order}, l.id ${order}`,
  );
  const pages = queries.map((_, index) => ({
    place: index + 1,
    rows: [] as PageRow[],
    together: queries.length,
  }));
  for (const event of found) pages[event.place - 1]?.rows.push(event);
  return pages;
}

/** The direction of the list. */
export function orderOf({ filter }: SoughtQuery): Sql {
  return filter.sort === "asc" ? sql`asc` : sql`desc`;
}

function pageStatement(query: SoughtQuery, plan: ReadPlan): Sql {
  const order = orderOf(query);
  return sql`with ${rightsAnd(query)}, page as materialized (${pageSelect(query, order, plan)})
    select ${shownColumns}, (select ${openTotalOf(query)}) as total, (select ${versionOf(query)}) as version, ${ownsAny(query)} as owns
    from page ${joinShownOf(query)}
    order by page.created_at ${order}, page.id ${order}`;
}

/** Selects the page in its order. */
export function pageSelect(query: SoughtQuery, order: Sql, { floor, way, most }: ReadPlan): Sql {
  const { limit, offset, filter } = query;
  const wanted = sql`${matches(filter, floor)} and ${beyondCursor(query)} and ${mayBeSeen(query)}`;
  const ordered = sql`order by e.created_at ${order}, e.id ${order}`;
  const names = isOfOnePlace(query, filter)
    ? sql``
    : sql`, p.name as project_name, p.full_path as project_full_path`;
  /**
   * The events with these keys, which were found in an index alone; each is looked up in its month, whatever the planner
   * estimates.
   */
  const ofKeys = (keys: Sql) => sql`select ${eventColumns}${names}
    from (${keys} ${ordered} limit ${limit} offset ${offset}) keys cross join lateral (
      select ${eventColumns} from events e where e.created_at = keys.created_at and e.id = keys.id and ${within(filter, floor)} limit 1) e
      ${placeOfEach(query, filter)}`;
  if (way === "days") {
    // Rare events within these days are found in the index alone.
    const place = isWide(query.subject) ? sql`e.project_id = held.project_id` : isOfSubject(query);
    return ofKeys(sql`select e.created_at, e.id from (${daysHolding(query, order)}) held cross join lateral (
        select e.created_at, e.id from events e ${placeOfEach(query, filter)}
        where ${place} and ${wanted} and e.created_at >= held.day::timestamp at time zone 'UTC'
          and e.created_at < (held.day + 1)::timestamp at time zone 'UTC' ${ordered} limit ${limit + offset}) e`);
  }
  if (way !== "projects") {
    const ofOne = !isWide(query.subject);
    const newest = sql`(select ${eventColumns}, e.cap from events e where ${ofOne ? isOfSubject(query) : sql`true`}
        and ${within(filter, floor)} and ${beyondCursor(query)} ${ordered} limit ${most ?? null}::bigint) e`;
    const source = sql`${most === undefined ? sql`events e` : newest} ${placeOfEach(query, filter)}`;
    if (ofOne && most !== undefined)
      return ofKeys(sql`select e.created_at, e.id from ${source} where ${wanted}`);
    return sql`select ${eventColumns}${names} from ${source}
      where ${isOfSubject(query)} and ${wanted} ${ordered} limit ${limit} offset ${offset}`;
  }
  const mine = sql`select ${ofPlace} from projects p cross join rights r where ${ofSubject(query)}`;
  if (floor && query.subject.kind === "memberships" && hasManyRoles(query.asker)) {
    // So many projects are read by one search of the index; one by one, each would need a search of every month.
    return ofKeys(sql`select e.created_at, e.id from (select e.* from events e
          where e.project_id = any (array(select id from (${mine}) mine)) and ${within(filter, floor)} offset 0) e
        ${placeOfEach(query, filter)} where ${wanted}`);
  }
  // The newest of all are among the newest of each project, so each project's index is read from its end.
  return sql`select e.* from (${mine} offset 0) mine
    cross join lateral (
      select ${eventColumns}${names} from events e, (select mine.*) p, rights r
      where e.project_id = mine.id and ${wanted} ${ordered} limit ${limit + offset}) e
    ${ordered} limit ${limit} offset ${offset}`;
}

function beyondCursor({ from, filter }: SoughtQuery): Sql {
  if (!from) return sql`true`;
  return filter.sort === "asc"
    ? sql`(e.created_at, e.id) > (${from.createdAt}, ${from.id})`
    : sql`(e.created_at, e.id) < (${from.createdAt}, ${from.id})`;
}
