/** Statements that derive merge requests from the events about them. */
import { authoredConditions } from "../platform/authored-filter.ts";
import { countOf } from "../platform/count-of.ts";
import type { Db } from "../platform/db.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { type MergeRequest, type MergeRequestFilter, MergeRequestRow } from "./merge-request.ts";

const COLUMNS = {
  author: sql`t.author_id`,
  created: sql`f.created_at`,
  updated: sql`f.updated_at`,
  idOf: (username: string) => sql`(select u.id from users u where lower(u.username) = lower(${username}))`,
};

/** Whether a merge request with the facts `f` and the target `t` matches the filter. */
const isFound = (asked: MergeRequestFilter): Sql =>
  joinSql(
    [
      sql`true`,
      asked.state !== undefined && sql`f.state = ${asked.state}`,
      // As text, since the key of any other target may be evaluated, too.
      asked.iids && sql`substring(t.key from '[0-9]+$') = any (${asked.iids.map(String)}::text[])`,
      asked.search && sql`strpos(lower(t.title), lower(${asked.search})) > 0`,
      ...authoredConditions(asked, COLUMNS),
    ],
    " and ",
  );

/**
 * Merge requests of a project of which it still shows an event. Internal comments do not count, not even for the times, and
 * neither do comments on a merge request that is only known by a commit.
 */
const told = (projectId: number, asked: MergeRequestFilter): Sql => sql`told as (
  select f.* from (
    select facts.*, case when merged_at is not null then 'merged'
      when closed_at >= coalesce(opened_at, closed_at) then 'closed' else 'opened' end as state
    from (select e.target_ref, min(e.created_at) as created_at, max(e.created_at) as updated_at,
        max(e.created_at) filter (where e.action in ('created', 'reopened')) as opened_at,
        max(e.created_at) filter (where e.action = 'closed') as closed_at,
        max(e.created_at) filter (where e.action = 'merged') as merged_at
      from events e where e.project_id = ${projectId} and e.cap = 'merge_request' and e.target_ref is not null
        and e.created_at >= greatest(now() - interval '2 years', (select now() - p.event_retention_days * interval '24 hours'
          from projects p where p.id = ${projectId}))
        and e.created_at < now() + interval '1000 years'
      group by e.target_ref) facts) f
  join event_targets t on t.id = f.target_ref and t.kind = 'merge_request' and t.key ~ '^([^/#]+#)?[0-9]+$'
  where ${isFound(asked)})`;

/** In the order of their first events, or with `byChange` of their last ones. */
export function listMergeRequests(
  db: Db,
  projectId: number,
  filter: MergeRequestFilter,
  page: { limit: number; offset: number; ascending: boolean; byChange: boolean },
): Promise<MergeRequest[]> {
  const order = page.ascending ? sql`asc` : sql`desc`;
  const moment = page.byChange ? sql`f.updated_at` : sql`f.created_at`;
  return db.pooled.many(
    MergeRequestRow,
    sql`with ${told(projectId, filter)}
      select coalesce(t.number, t.id) as id, substring(t.key from '[0-9]+$')::bigint as iid, t.title, f.state, f.created_at, f.updated_at, f.merged_at,
        case when f.state = 'closed' then f.closed_at end as closed_at, u.id as author_id, u.username as author_username,
        u.name as author_name, u.state as author_state
      from told f join event_targets t on t.id = f.target_ref left join users u on u.id = t.author_id
      order by ${moment} ${order}, t.id ${order} limit ${page.limit} offset ${page.offset}`,
  );
}

export function countMergeRequests(db: Db, projectId: number, filter: MergeRequestFilter): Promise<number> {
  return countOf(db.pooled, sql`with ${told(projectId, filter)} select count(*) as n from told`);
}
