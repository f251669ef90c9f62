/** Statements about the incidents of many projects: permission is part of them, so pages are full and totals exact. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { integer, type RowOf, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { INCIDENT_STATES, type IncidentFilter, IncidentRow, isSought } from "./incident.ts";
import { isFound } from "./store-incident-filter.ts";
import {
  IncidentCountsRow,
  incidentColumns,
  incidentsWithPeople,
  SEARCHED_INCIDENTS,
} from "./store-incidents.ts";

const PlacedIncidentRow = row({ ...IncidentRow.columns, projectPath: text });
/** An incident of any project. */
export type PlacedIncident = RowOf<typeof PlacedIncidentRow>;
const ListedIncidentRow = row({ ...PlacedIncidentRow.columns, total: integer });

/** What is listed, and for whom. */
export interface AskedIncidents {
  asker: { id: number; isAdmin: boolean };
  filter: IncidentFilter;
  /** Only those of projects in this group or below it. */
  groupId?: number | undefined;
  /** Also those of projects that are archived or marked for deletion. */
  withReadOnly?: boolean | undefined;
  /** By the time of the last change instead of that of opening. */
  byChange?: boolean | undefined;
}

/**
 * Lists a page of the incidents of all projects in which the asker is at least Reporter, for administrators of all, and counts
 * all of them. If only the state is filtered, the first incident of each project and state is read, and more only of those projects
 * that come first. Otherwise the asker's own incidents are read, or the newest of each project (decision 0278).
 */
export async function listAllIncidents(
  db: Queries,
  asked: AskedIncidents,
  page: { limit: number; offset: number; ascending?: boolean },
): Promise<{ incidents: PlacedIncident[]; total: number }> {
  const way = page.ascending ? sql`asc` : sql`desc`;
  const order = sql`order by ${asked.byChange ? sql`n.updated_at` : sql`n.created_at`} ${way}, n.id ${way}`;
  const candidates = isSearched(asked)
    ? sql`select id, created_at, updated_at from found where state = any (${statesOf(asked)}::text[])`
    : firstOnes(asked, way, page.limit + page.offset);
  const incidents = await db.many(
    ListedIncidentRow,
    sql`with ${partsOf(asked)}
      select ${incidentColumns}, p.full_path as project_path, ${totalOf(asked)} as total from (
        select n.id from (${candidates}) n ${order} limit ${page.limit} offset ${page.offset}
      ) chosen
      cross join lateral (select * from incidents i where i.id = chosen.id offset 0) n
      cross join lateral (select full_path from projects where id = n.project_id offset 0) p
      left join lateral (select * from users where id = n.author_id offset 0) u on true
      left join lateral (select * from users where id = n.closed_by offset 0) c on true ${order}`,
  );
  const [first] = incidents;
  if (first || page.offset === 0) return { incidents, total: first?.total ?? 0 };
  const total = await countOf(db, sql`with ${partsOf(asked)} select ${totalOf(asked)} as n`);
  return { incidents, total };
}

/** Whether incidents must be read to be filtered or sorted, since no index has them in that order. */
function isSearched({ filter, byChange = false }: AskedIncidents): boolean {
  return isSought(filter) || byChange;
}

function statesOf({ filter }: AskedIncidents): readonly string[] {
  return filter.state === undefined ? INCIDENT_STATES : [filter.state];
}

/** `readable`, the projects with their number of incidents, and `found`, where incidents are searched. */
function partsOf(asked: AskedIncidents): Sql {
  return isSearched(asked) ? sql`${readable(asked)}, ${found(asked)}` : readable(asked);
}

/** Like `GET /projects/:id/issues`: nothing of projects that are being removed (decision 0152). */
function readable({ asker, groupId, withReadOnly = false }: AskedIncidents): Sql {
  const theirs = asker.isAdmin
    ? sql`projects p`
    : sql`(select project_id from project_roles where user_id = ${asker.id} and access_level >= 20) r
        join projects p on p.id = r.project_id`;
  return sql`readable as materialized (
    select p.id, c.last as n from ${theirs} join project_counters c on c.project_id = p.id and c.kind = 'incident'
    where p.removal_began_at is null ${withReadOnly ? sql`` : sql`and not p.archived`}
      ${groupId === undefined ? sql`` : sql`and p.lineage @> array[${groupId}::bigint]`})`;
}

/** The first `most` incidents, read only from those projects and states whose first incident is among the first `most`. */
function firstOnes(asked: AskedIncidents, way: Sql, most: number): Sql {
  const firstOf = (projectId: Sql, state: Sql, limit: number) => sql`(select id, created_at from incidents
    where project_id = ${projectId} and state = ${state} order by created_at ${way}, id ${way} limit ${limit})`;
  return sql`select n.id, n.created_at from (
      select of_project.id as project_id, of_state.name as state
      from readable of_project cross join unnest(${statesOf(asked)}::text[]) of_state (name)
        cross join lateral ${firstOf(sql`of_project.id`, sql`of_state.name`, 1)} n
      order by n.created_at ${way}, n.id ${way} limit ${most}
    ) heads cross join lateral ${firstOf(sql`heads.project_id`, sql`heads.state`, most)} n`;
}

/**
 * The incidents that match the filter, among those that the asker opened or among the newest of each project: all of small
 * projects, and equally many of larger ones, at most 50,000 in total.
 */
function found({ asker, filter }: AskedIncidents): Sql {
  const columns = sql`id, state, created_at, updated_at`;
  // For two bounds the planner expects few rows, and uses the index even where few people opened most incidents.
  if (filter.authorId === asker.id)
    return sql`found as materialized (
      select ${columns} from (select * from incidents where author_id between ${asker.id} and ${asker.id} offset 0) n
      where project_id in (select id from readable) and ${isFound(filter)}
        ${filter.iids ? sql`and iid = any (${filter.iids}::bigint[])` : sql``})`;
  const rows = sql`select ${columns}, iid, title, description, author_id from incidents where project_id = of_project.project_id`;
  const searched = filter.iids
    ? sql`${rows} and iid = any (${filter.iids}::bigint[]) offset 0`
    : sql`${rows} order by iid desc limit (select greatest(1, max((${SEARCHED_INCIDENTS} - smaller) / no_smaller))
        from (select (sum(n) over sizes - n)::bigint as smaller, count(*) over () - row_number() over sizes + 1 as no_smaller
          from readable window sizes as (order by n, id)) shares)`;
  return sql`found as materialized (
    select ${columns} from (select id as project_id from readable) of_project cross join lateral (${searched}) n
    where ${isFound(filter)})`;
}

/** Counts the same incidents by their state, whichever state the filter names. */
export function countAllIncidents(db: Queries, asked: AskedIncidents) {
  const counts = isSearched(asked)
    ? sql`count(*) filter (where state = 'opened') as opened, count(*) filter (where state = 'closed') as closed,
        count(*) as "all" from found`
    : sql`n.opened, greatest(n."all" - n.opened, 0) as closed, n."all"
        from (select ${openedOfAll} as opened, ${numberOfAll} as "all") n`;
  return db.one(IncidentCountsRow, sql`with ${partsOf(asked)} select ${counts}`);
}

/** Single incidents are never removed and their numbers have no gaps, so only the open ones need to be counted. */
function totalOf(asked: AskedIncidents): Sql {
  if (isSearched(asked))
    return sql`(select count(*) from found where state = any (${statesOf(asked)}::text[]))`;
  if (asked.filter.state === undefined) return numberOfAll;
  return asked.filter.state === "opened" ? openedOfAll : sql`greatest(${numberOfAll} - ${openedOfAll}, 0)`;
}

const openedOfAll = sql`(select coalesce(sum(o.n), 0)::bigint from readable r cross join lateral (
  select count(*) as n from incidents where project_id = r.id and state = 'opened') o)`;
const numberOfAll = sql`(select coalesce(sum(n), 0)::bigint from readable)`;

/** Finds an incident by its id in the instance, as administrators may (decision 0293): of a project that is being removed, none. */
export function findAnyIncident(db: Queries, id: number): Promise<PlacedIncident | undefined> {
  return db.find(
    PlacedIncidentRow,
    sql`select ${incidentColumns}, p.full_path as project_path
      from ${incidentsWithPeople} join projects p on p.id = n.project_id
      where n.id = ${id} and p.removal_began_at is null`,
  );
}
