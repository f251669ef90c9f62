/** Statements about projects and who may see them. */
import { mayBePath } from "../accounts/namespace.ts";
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { integer, type RowOf, row } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import type { Asker } from "./asker.ts";
import { type Project, type ProjectOrder, ProjectRow } from "./project.ts";
import { aroundProject, isArchivedProject, isProjectMarkedOn, lifecycleOf } from "./store-lifecycle.ts";

const projectColumns = (
  asker: Asker | undefined,
) => sql`p.id, p.name, p.path, p.full_path, p.description, p.visibility,
  p.default_branch, p.creator_id, ${lifecycleOf(sql`p`)}, p.event_retention_days, p.created_at, p.last_activity_at, n.id as namespace_id,
  n.name as namespace_name, n.path as namespace_path, n.full_path as namespace_full_path, n.kind as namespace_kind,
  n.parent_id as namespace_parent_id,
  case when n.parent_id is null then n.name else
    (select string_agg(a.name, ' / ' order by cardinality(a.lineage)) from namespaces a where a.id = any (n.lineage))
    end as namespace_full_name,
  (select top.plan from namespaces top where top.id = coalesce(n.lineage[1], n.id)) as plan,
  case when ${asker?.isAdmin ?? false} then 50 else coalesce(r.access_level, 0) end as access`;

const projectsOf = (asker: Asker | undefined) => sql`projects p
  join namespaces n on n.id = p.namespace_id
  left join project_roles r on r.project_id = p.id and r.user_id = ${asker?.id ?? null}`;

/**
 * Public for all, internal for the signed-in, private for members; administrators see everything. Nobody sees what is being
 * removed.
 */
const visibleTo = (asker: Asker | undefined): Sql =>
  asker
    ? sql`(p.removal_began_at is null and (p.visibility <> 'private' or r.access_level is not null or ${asker.isAdmin}))`
    : sql`(p.removal_began_at is null and p.visibility = 'public')`;

/** By id (all digits) or full path in any case; an old path finds the project that had it. */
export async function findVisibleProject(
  db: Queries,
  asker: Asker | undefined,
  reference: string,
): Promise<Project | undefined> {
  if (/^\d+$/.test(reference)) {
    const id = Number(reference);
    if (!Number.isSafeInteger(id)) return undefined;
    return db.find(
      ProjectRow,
      sql`select ${projectColumns(asker)} from ${projectsOf(asker)} ${aroundProject} where p.id = ${id} and ${visibleTo(asker)}`,
    );
  }
  if (!reference.includes("/") || !mayBePath(reference)) return undefined;
  return db.find(
    ProjectRow,
    sql`select ${projectColumns(asker)} from ${projectsOf(asker)} ${aroundProject}
      where p.id = coalesce((select id from projects where lower(full_path) = lower(${reference})),
          (select project_id from project_redirects where old_path = lower(${reference})))
        and ${visibleTo(asker)}`,
  );
}

const ORDERS: Readonly<Record<ProjectOrder, Sql>> = {
  id: sql`p.id`,
  name: sql`lower(p.name)`,
  path: sql`lower(p.path)`,
  created_at: sql`p.created_at`,
  updated_at: sql`p.updated_at`,
  last_activity_at: sql`p.last_activity_at`,
};

export interface ProjectFilter {
  /** Only projects in which the asker has a role. */
  membership?: boolean | undefined;
  search?: string | undefined;
  /** Only projects of this visibility. */
  visibility?: Project["visibility"] | undefined;
  /** Only projects that are archived, or only those that are not. */
  archived?: boolean | undefined;
  /** Only projects that are neither archived nor marked for deletion, or only the others. */
  active?: boolean | undefined;
  /** Only projects marked for deletion on this day (UTC). */
  markedOn?: string | undefined;
  /** Only projects in which the asker has at least this level. */
  leastAccess?: number | undefined;
  /** Only projects directly in this namespace. */
  namespaceId?: number | undefined;
  /** Only projects in this group or below it. */
  belowId?: number | undefined;
  /** Only projects directly in the own namespace of this user. */
  ownerId?: number | undefined;
  /** Only projects with a greater number, or with a smaller one. */
  idAfter?: number | undefined;
  idBefore?: number | undefined;
  /** Only projects with activity after, or before, this time; and the same for changes of the project itself. */
  activeAfter?: Date | undefined;
  activeBefore?: Date | undefined;
  updatedAfter?: Date | undefined;
  updatedBefore?: Date | undefined;
  /** Whether the filter matches no project. */
  none?: boolean | undefined;
  /** Projects whose path or name equals the search come first. */
  exactFirst?: boolean;
  /** The order; undefined: by the last activity. */
  orderBy?: ProjectOrder | undefined;
  /** Undefined: descending. */
  ascending?: boolean | undefined;
  limit: number;
  offset: number;
}

const projectConditions = (asker: Asker | undefined, filter: ProjectFilter) =>
  joinSql(
    [
      visibleTo(asker),
      filter.membership && sql`r.access_level is not null`,
      filter.visibility && sql`p.visibility = ${filter.visibility}`,
      filter.archived !== undefined && sql`${isArchivedProject} = ${filter.archived}::boolean`,
      filter.active !== undefined && sql`p.archived <> ${filter.active}::boolean`,
      filter.markedOn && isProjectMarkedOn(filter.markedOn),
      filter.none && sql`false`,
      filter.leastAccess && sql`r.access_level >= ${filter.leastAccess}`,
      filter.namespaceId && sql`p.namespace_id = ${filter.namespaceId}`,
      ...(filter.belowId
        ? [
            sql`p.namespace_id in (select id from namespaces where lineage @> array[${filter.belowId}::bigint])`,
          ]
        : []),
      filter.ownerId && sql`n.owner_id = ${filter.ownerId}`,
      filter.idAfter !== undefined && sql`p.id > ${filter.idAfter}`,
      filter.idBefore !== undefined && sql`p.id < ${filter.idBefore}`,
      filter.activeAfter && sql`p.last_activity_at > ${filter.activeAfter}`,
      filter.activeBefore && sql`p.last_activity_at < ${filter.activeBefore}`,
      filter.updatedAfter && sql`p.updated_at > ${filter.updatedAfter}`,
      filter.updatedBefore && sql`p.updated_at < ${filter.updatedBefore}`,
      filter.search && sql`strpos(lower(p.full_path || ' ' || p.name), lower(${filter.search})) > 0`,
    ],
    " and ",
  );

export function listProjects(
  db: Queries,
  asker: Asker | undefined,
  filter: ProjectFilter,
): Promise<Project[]> {
  const order = ORDERS[filter.orderBy ?? "last_activity_at"];
  const way = filter.ascending ? sql`asc` : sql`desc`;
  const first = filter.exactFirst
    ? sql`lower(${filter.search ?? ""}) in (lower(p.full_path), lower(p.path), lower(p.name)) desc,`
    : sql``;
  return db.many(
    ProjectRow,
    sql`select ${projectColumns(asker)} from ${projectsOf(asker)} ${aroundProject} where ${projectConditions(asker, filter)}
      order by ${first} ${order} ${way}, p.id ${way} limit ${filter.limit} offset ${filter.offset}`,
  );
}

export function countProjects(db: Queries, asker: Asker | undefined, filter: ProjectFilter): Promise<number> {
  return countOf(
    db,
    sql`select count(*) as n from ${projectsOf(asker)} where ${projectConditions(asker, filter)}`,
  );
}

export interface NewProject {
  namespaceId: number;
  path: string;
  fullPath: string;
  name: string;
  description: string;
  visibility: Project["visibility"];
  defaultBranch: string;
  creatorId: number;
}

/** Inserts a project; a redirect from that path, left by another project, is deleted. */
export async function insertProject(db: Queries, project: NewProject): Promise<number> {
  const { id } = await db.one(
    row({ id: integer }),
    sql`with freed as (delete from project_redirects where old_path = lower(${project.fullPath}))
      insert into projects (namespace_id, path, full_path, name, description, visibility, default_branch, creator_id)
      values (${project.namespaceId}, ${project.path}, ${project.fullPath}, ${project.name}, ${project.description},
        ${project.visibility}, ${project.defaultBranch}, ${project.creatorId})
      returning id`,
  );
  return id;
}

/** Absent members stay as they are, even if others change them; `path` comes with `fullPath`. */
export interface ProjectChange {
  path?: string | undefined;
  fullPath?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
  visibility?: Project["visibility"] | undefined;
  defaultBranch?: string | undefined;
}

/** Changes a project; its old path redirects from now on, and a redirect from its new path is deleted. */
export function updateProject(db: Queries, id: number, change: ProjectChange): Promise<number> {
  const { path = null, fullPath = null, name = null, description = null, visibility = null } = change;
  return db.run(
    sql`with freed as (delete from project_redirects where old_path = lower(${fullPath})),
      kept as (
        insert into project_redirects (old_path, project_id)
        select lower(full_path), id from projects
        where id = ${id} and lower(full_path) <> lower(${fullPath})
        on conflict (old_path) do update set project_id = excluded.project_id)
      update projects set path = coalesce(${path}, path), full_path = coalesce(${fullPath}, full_path),
        name = coalesce(${name}, name), description = coalesce(${description}, description),
        visibility = coalesce(${visibility}, visibility),
        default_branch = coalesce(${change.defaultBranch ?? null}, default_branch), updated_at = now()
      where id = ${id}`,
  );
}

/** Sets for how many days events are kept, null for the two years; waits for a batch of a sweep (decision 0119). */
export function updateEventRetention(db: Queries, id: number, days: number | null): Promise<number> {
  return db.run(
    sql`update projects set event_retention_days = ${days}::integer, updated_at = now()
      where id = ${id} and event_retention_days is distinct from ${days}::integer`,
  );
}

/** The project that had this path before and has another one now. */
export async function findMovedProject(db: Queries, path: string): Promise<number | undefined> {
  const found = await db.find(
    row({ projectId: integer }),
    sql`select project_id from project_redirects r where old_path = lower(${path})
        and not exists (select 1 from projects where lower(full_path) = lower(${path}))`,
  );
  return found?.projectId;
}

const Levels = row({ projectId: integer, direct: integer, inherited: integer });
export type Levels = RowOf<typeof Levels>;

/** The access levels of a user in projects: of their own membership, and by a group or namespace; 0 for none. */
export function listLevels(db: Queries, userId: number, projectIds: readonly number[]): Promise<Levels[]> {
  return db.many(
    Levels,
    sql`select p.id as project_id,
        coalesce((select max(m.access_level)::integer from members m where m.project_id = p.id
          and m.user_id = ${userId} and (m.expires_at is null or m.expires_at > now())), 0) as direct,
        case when n.owner_id = ${userId} then 50 else coalesce((select max(m.access_level)::integer from members m
          where m.namespace_id = any (n.lineage) and m.user_id = ${userId}
            and (m.expires_at is null or m.expires_at > now())), 0) end as inherited
      from projects p join namespaces n on n.id = p.namespace_id
      where p.id = any(${projectIds}::bigint[])`,
  );
}
