/** Statements about projects and who may see them. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import type { Asker } from "./asker.ts";
import { type Project, ProjectRow } from "./project.ts";

const projectColumns = (
  asker: Asker | undefined,
) => sql`p.id, p.name, p.path, p.full_path, p.description, p.visibility,
  p.default_branch, p.creator_id, p.archived, p.created_at, p.last_activity_at, n.id as namespace_id,
  n.name as namespace_name, n.path as namespace_path, n.full_path as namespace_full_path, n.kind as namespace_kind,
  n.parent_id as namespace_parent_id,
  (select top.plan from namespaces top where top.id = coalesce(n.lineage[1], n.id)) as plan,
  case when ${asker?.isAdmin ?? false} then 50 else coalesce(r.access_level, 0) end as access`;

const projectsOf = (asker: Asker | undefined) => sql`projects p
  join namespaces n on n.id = p.namespace_id
  left join project_roles r on r.project_id = p.id and r.user_id = ${asker?.id ?? null}`;

/** Public for all, internal for the signed-in, private for members; administrators see everything. */
const visibleTo = (asker: Asker | undefined): Sql =>
  asker
    ? sql`(p.visibility <> 'private' or r.access_level is not null or ${asker.isAdmin})`
    : sql`p.visibility = 'public'`;

/** By id (all digits) or full path in any case; an old path leads to the project that bore it. */
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
      sql`select ${projectColumns(asker)} from ${projectsOf(asker)} where p.id = ${id} and ${visibleTo(asker)}`,
    );
  }
  if (!reference.includes("/") || reference.includes("\0") || reference.length > 2000) return undefined;
  return db.find(
    ProjectRow,
    sql`select ${projectColumns(asker)} from ${projectsOf(asker)}
      where p.id = coalesce((select id from projects where lower(full_path) = lower(${reference})),
          (select project_id from project_redirects where old_path = lower(${reference})))
        and ${visibleTo(asker)}`,
  );
}

export interface ProjectFilter {
  /** Only projects in which the asker has a role. */
  membership?: boolean;
  search?: string;
  limit: number;
  offset: number;
}

const projectConditions = (asker: Asker | undefined, filter: ProjectFilter) =>
  joinSql(
    [
      visibleTo(asker),
      ...(filter.membership ? [sql`r.access_level is not null`] : []),
      ...(filter.search
        ? [sql`strpos(lower(p.full_path || ' ' || p.name), lower(${filter.search})) > 0`]
        : []),
    ],
    " and ",
  );

export function listProjects(
  db: Queries,
  asker: Asker | undefined,
  filter: ProjectFilter,
): Promise<Project[]> {
  return db.many(
    ProjectRow,
    sql`select ${projectColumns(asker)} from ${projectsOf(asker)} where ${projectConditions(asker, filter)}
      order by p.last_activity_at desc, p.id desc limit ${filter.limit} offset ${filter.offset}`,
  );
}

export async function countProjects(
  db: Queries,
  asker: Asker | undefined,
  filter: ProjectFilter,
): Promise<number> {
  const { n } = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from ${projectsOf(asker)} where ${projectConditions(asker, filter)}`,
  );
  return n;
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

/** Inserts a project; a redirect of that path, left by another project, ends. */
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
