/** Statements that derive merge requests from the events about them. */
import { countOf } from "../platform/count-of.ts";
import type { Db } from "../platform/db.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type MergeRequest, MergeRequestRow, type SoughtState } from "./merge-request.ts";

/**
 * Merge requests of a project of which it still shows an event. Internal comments do not count, not even for the times, and
 * neither do comments on a merge request that is only known by a commit.
 */
const told = (projectId: number, state: SoughtState | undefined): Sql => sql`told as (
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
  where ${state ?? null}::text is null or f.state = ${state ?? null})`;

/** In the order of their first events. */
export function listMergeRequests(
  db: Db,
  projectId: number,
  state: SoughtState | undefined,
  { limit, offset, ascending }: { limit: number; offset: number; ascending: boolean },
): Promise<MergeRequest[]> {
  const order = ascending ? sql`asc` : sql`desc`;
  return db.pooled.many(
    MergeRequestRow,
    sql`with ${told(projectId, state)}
      select coalesce(t.number, t.id) as id, substring(t.key from '[0-9]+$')::bigint as iid, t.title, f.state, f.created_at, f.updated_at, f.merged_at,
        case when f.state = 'closed' then f.closed_at end as closed_at, u.id as author_id, u.username as author_username,
        u.name as author_name, u.state as author_state
      from told f join event_targets t on t.id = f.target_ref left join users u on u.id = t.author_id
      order by f.created_at ${order}, t.id ${order} limit ${limit} offset ${offset}`,
  );
}

export function countMergeRequests(
  db: Db,
  projectId: number,
  state: SoughtState | undefined,
): Promise<number> {
  return countOf(db.pooled, sql`with ${told(projectId, state)} select count(*) as n from told`);
}
