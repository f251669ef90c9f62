/** Statements that derive merge requests from the events about them. */
import { authoredConditions } from "../platform/authored-filter.ts";
import { countOf } from "../platform/count-of.ts";
import type { Db } from "../platform/db.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import {
  type Approvers,
  DRAFT_TITLE,
  type MergeRequest,
  type MergeRequestFilter,
  MergeRequestRow,
} from "./merge-request.ts";

const COLUMNS = {
  author: sql`t.author_id`,
  created: sql`f.created_at`,
  updated: sql`f.updated_at`,
  idOf: (username: string | Sql) =>
    sql`(select u.id from users u where lower(u.username) = lower(${username}))`,
};

/** The id of who merged the one with the facts `f`; of several events at that time, by the last. */
const mergerIn = (projectId: number) => sql`(select e.author_id from events e
  where e.project_id = ${projectId} and e.created_at = f.merged_at and e.target_ref = f.target_ref
    and e.cap = 'merge_request' and e.action = 'merged' order by e.id desc limit 1)`;

/** Whether these have approved the one with the facts `f`. */
function areApprovers(asked: Approvers): Sql {
  if (asked === "any") return sql`f.approvers is not null`;
  if (asked === "none") return sql`f.approvers is null`;
  if ("ids" in asked) return sql`coalesce(f.approvers @> ${asked.ids}::bigint[], false)`;
  // A name that nobody has has not approved.
  return sql`(select bool_and(coalesce(${COLUMNS.idOf(sql`approver.username`)} = any (f.approvers), false))
    from unnest(${asked.usernames}::text[]) as approver (username))`;
}

/** Whether a merge request with the facts `f` and the target `t` matches the filter. */
const isFound = (projectId: number, asked: MergeRequestFilter): Sql =>
  joinSql(
    [
      sql`true`,
      asked.state !== undefined && sql`f.state = ${asked.state}`,
      // As text, since the key of any other target may be evaluated, too.
      asked.iids && sql`substring(t.key from '[0-9]+$') = any (${asked.iids.map(String)}::text[])`,
      asked.search && sql`strpos(lower(t.title), lower(${asked.search})) > 0`,
      asked.isDraft !== undefined && sql`coalesce(t.title ~* ${DRAFT_TITLE}, false) = ${asked.isDraft}`,
      asked.mergedById !== undefined && sql`${mergerIn(projectId)} = ${asked.mergedById}`,
      asked.mergedBy !== undefined && sql`${mergerIn(projectId)} = ${COLUMNS.idOf(asked.mergedBy)}`,
      ...(asked.approvedBy ?? []).map(areApprovers),
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
        max(e.created_at) filter (where e.action = 'merged') as merged_at,
        array_agg(e.author_id) filter (where e.action = 'approved') as approvers
      from events e where e.project_id = ${projectId} and e.cap = 'merge_request' and e.target_ref is not null
        and e.created_at >= greatest(now() - interval '2 years', (select now() - p.event_retention_days * interval '24 hours'
          from projects p where p.id = ${projectId}))
        and e.created_at < now() + interval '1000 years'
      group by e.target_ref) facts) f
  join event_targets t on t.id = f.target_ref and t.kind = 'merge_request' and t.key ~ '^([^/#]+#)?[0-9]+$'
  where ${isFound(projectId, asked)})`;

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
        u.name as author_name, u.state as author_state, m.id as merger_id, m.username as merger_username,
        m.name as merger_name, m.state as merger_state
      from told f join event_targets t on t.id = f.target_ref left join users u on u.id = t.author_id
        left join users m on m.id = ${mergerIn(projectId)}
      order by ${moment} ${order}, t.id ${order} limit ${page.limit} offset ${page.offset}`,
  );
}

export function countMergeRequests(db: Db, projectId: number, filter: MergeRequestFilter): Promise<number> {
  return countOf(db.pooled, sql`with ${told(projectId, filter)} select count(*) as n from told`);
}
