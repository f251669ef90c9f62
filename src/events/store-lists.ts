/** Statements that list events: permission is part of the query, so pages are full and totals exact. */
import type { Db, Queries } from "../platform/db.ts";
import { day, integer, oneOf, type RowOf, row } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Event, EventRow } from "./event.ts";
import type { EventQuery } from "./filter.ts";
import { countEvents, totalOf } from "./store-totals.ts";
import { capsOf, matches, mayBeSeen, memberships, ofSubject } from "./store-visible.ts";
import { OWN } from "./target.ts";

/** The columns of an event of `page`, joined by `named`. */
export const shown = sql`page.id, page.created_at, page.project_id, p.name as project_name, p.full_path as project_full_path,
  page.action, page.target_type, page.target_id, page.target_iid, coalesce(t.title, case when page.target_type = 'Project' then p.name end) as target_title, page.push_data,
  page.note, page.wiki_page, page.imported_from, page.external_id, u.id as author_id, u.username as author_username,
  u.name as author_name, u.state as author_state,
  case when page.note is not null then coalesce(t.number, t.id) end as noteable_number,
  coalesce(t.source_id = ${OWN}, false) as is_own`;
/** Author, project and target of `page`. */
export const named = sql`join users u on u.id = page.author_id
  join projects p on p.id = page.project_id
  left join event_targets t on t.id = page.target_ref`;

const PageRow = row({ ...EventRow.columns, total: integer });

/**
 * A page of events and how many there are in all. Counting is part of the same statement and left out when the page
 * is the last; it may take long, so the statement has a connection of its own.
 */
export async function listEvents(db: Db, query: EventQuery): Promise<{ events: Event[]; total: number }> {
  const { limit, offset, from } = query;
  const order = query.filter.sort === "asc" ? sql`asc` : sql`desc`;
  const rows = await db.pooled.many(
    PageRow,
    sql`with page as materialized (${pageOf(query, order)}),
        found as (select count(*) as n from page)
      select ${shown},
        case when (select n from found) < ${limit} and ${from === undefined} then ${offset} + (select n from found)
          else (${totalOf(query)}) end as total
      from page ${named}
      order by page.created_at ${order}, page.id ${order}`,
  );
  const [first] = rows;
  if (first) return { events: rows, total: first.total };
  return { events: [], total: offset === 0 && !from ? 0 : await countEvents(db.pooled, query) };
}

/** Events by their numbers and moment, as their sender may read them again; in the order of their numbers. */
export function listRecorded(db: Queries, ids: readonly number[], createdAt: Date): Promise<Event[]> {
  return db.many(
    EventRow,
    sql`select ${shown} from events page ${named}
      where page.created_at = ${createdAt} and page.id = any (${ids}::bigint[]) order by page.id`,
  );
}

/** The columns of `e` that a page needs. */
export const columns = sql`e.id, e.created_at, e.project_id, e.author_id, e.action, e.target_type, e.target_id,
  e.target_iid, e.target_ref, e.push_data, e.note, e.wiki_page, e.imported_from, e.external_id`;

function pageOf(query: EventQuery, order: Sql): Sql {
  const { subject, limit, offset } = query;
  const beyond = beyondCursor(query);
  const ordered = sql`order by e.created_at ${order}, e.id ${order}`;
  if (subject !== "memberships") {
    return sql`select ${columns} from events e
      where ${ofSubject(query)} and ${matches(query.filter)} and ${beyond} and ${mayBeSeen(query, capsOf(query))}
      ${ordered} limit ${limit} offset ${offset}`;
  }
  // The newest of all are among the newest of each project, so each project's index is read from its end.
  return sql`select ${columns} from (${memberships(query)}) mine
    cross join lateral (
      select ${columns} from events e
      where e.project_id = mine.project_id and ${matches(query.filter)} and ${beyond}
        and ${mayBeSeen(query, sql`mine.caps`)}
      ${ordered} limit ${limit + offset}) e
    ${ordered} limit ${limit} offset ${offset}`;
}

function beyondCursor({ from, filter }: EventQuery): Sql {
  if (!from) return sql`true`;
  return filter.sort === "asc"
    ? sql`(e.created_at, e.id) > (${from.createdAt}, ${from.id})`
    : sql`(e.created_at, e.id) < (${from.createdAt}, ${from.id})`;
}

const ContributionRow = row({ day, kind: oneOf(["push", "comment", "issue", "merge_request"]), n: integer });
export type Contribution = RowOf<typeof ContributionRow>;

/** What an author gave to others in the last year, by UTC day and kind, as far as the asker may see it. */
export function listContributions(
  db: Db,
  query: Pick<EventQuery, "subject" | "asker">,
): Promise<Contribution[]> {
  const whole = { ...query, filter: {}, limit: 0, offset: 0 };
  return db.pooled.many(
    ContributionRow,
    sql`select (e.created_at at time zone 'UTC')::date as day, kind, count(*) as n
      from events e cross join lateral (select case
        when e.action = 'pushed' then 'push'
        when e.action = 'commented' then 'comment'
        when e.target_type in ('Issue', 'WorkItem', 'Incident') and e.action in ('created', 'closed') then 'issue'
        when e.target_type = 'MergeRequest' and e.action in ('created', 'closed', 'merged', 'approved')
          then 'merge_request' end as kind) kinds
      where ${ofSubject(whole)} and kind is not null and ${mayBeSeen(whole, capsOf(whole))}
        and e.created_at >= ((now() at time zone 'UTC')::date - 364)::timestamp at time zone 'UTC'
        and e.created_at < ((now() at time zone 'UTC')::date + 1)::timestamp at time zone 'UTC'
      group by 1, 2`,
  );
}
