/** Statements about environments. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { type Environment, EnvironmentRow } from "./environment.ts";

const columns = sql`e.id, e.project_id, e.name, e.slug, e.external_url, e.state, e.created_at, e.updated_at`;

export interface EnvironmentFilter {
  name?: string | undefined;
  search?: string | undefined;
  state?: Environment["state"] | undefined;
}

const conditions = (projectId: number, { name, search, state }: EnvironmentFilter): Sql =>
  joinSql(
    [
      sql`e.project_id = ${projectId}`,
      name && sql`e.name = ${name}`,
      search && sql`strpos(lower(e.name), lower(${search})) > 0`,
      state && sql`e.state = ${state}`,
    ],
    " and ",
  );

/** In the order of their names. */
export function listEnvironments(
  db: Queries,
  projectId: number,
  filter: EnvironmentFilter,
  page: { limit: number; offset: number },
): Promise<Environment[]> {
  return db.many(
    EnvironmentRow,
    sql`select ${columns} from environments e where ${conditions(projectId, filter)}
      order by lower(e.name), e.id limit ${page.limit} offset ${page.offset}`,
  );
}

export function countEnvironments(
  db: Queries,
  projectId: number,
  filter: EnvironmentFilter = {},
): Promise<number> {
  return countOf(db, sql`select count(*) as n from environments e where ${conditions(projectId, filter)}`);
}

export function findEnvironment(
  db: Queries,
  projectId: number,
  id: number,
): Promise<Environment | undefined> {
  return db.find(
    EnvironmentRow,
    sql`select ${columns} from environments e where e.project_id = ${projectId} and e.id = ${id}`,
  );
}

export interface NewEnvironment {
  projectId: number;
  name: string;
  slug: string;
  externalUrl: string | null;
}

export function insertEnvironment(db: Queries, made: NewEnvironment): Promise<Environment> {
  return db.one(
    EnvironmentRow,
    sql`with e as (
        insert into environments (project_id, name, slug, external_url)
        values (${made.projectId}, ${made.name}, ${made.slug}, ${made.externalUrl})
        returning *)
      select ${columns} from e`,
  );
}

/** Undefined members stay as they are; a name comes with its slug. */
export function updateEnvironment(
  db: Queries,
  id: number,
  change: { name?: string | undefined; slug?: string | undefined; externalUrl?: string | null | undefined },
): Promise<Environment | undefined> {
  const { name = null, slug = null, externalUrl } = change;
  return db.find(
    EnvironmentRow,
    sql`with e as (
        update environments set name = coalesce(${name}, name), slug = coalesce(${slug}, slug),
          external_url = case when ${externalUrl === undefined} then external_url else ${externalUrl ?? null} end,
          updated_at = now()
        where id = ${id} returning *)
      select ${columns} from e`,
  );
}

export function deleteEnvironment(db: Queries, id: number): Promise<number> {
  return db.run(sql`delete from environments where id = ${id}`);
}
