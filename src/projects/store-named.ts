/** Statements about the paths that projects and groups have or had, and since when. */
import type { PlaceNamed } from "../accounts/audit-event.ts";
import type { Queries } from "../platform/db.ts";
import { instant, integer, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";

/** By id, or by paths in lower case. */
type Asked = { id: number } | { paths: readonly string[] };

const NamedRow = row({ id: integer, path: text, since: instant });

export function listProjectsNamed(db: Queries, asked: Asked): Promise<PlaceNamed[]> {
  return listNamed(db, asked, {
    places: sql`projects`,
    redirects: sql`(select old_path, project_id as id, created_at from project_redirects)`,
  });
}

export function listGroupsNamed(db: Queries, asked: Asked): Promise<PlaceNamed[]> {
  return listNamed(db, asked, {
    places: sql`(select * from namespaces where kind = 'group')`,
    redirects: sql`(select old_path, namespace_id as id, created_at from namespace_redirects)`,
  });
}

/**
 * Paths change one after another, each leaving a redirect: a path belongs to its place since the redirect before it, the first
 * one since the place was created. Before that, another one may have had it.
 */
function listNamed(db: Queries, asked: Asked, { places, redirects }: { places: Sql; redirects: Sql }) {
  const current =
    "id" in asked ? sql`p.id = ${asked.id}` : sql`lower(p.full_path) = any (${asked.paths}::text[])`;
  const former = "id" in asked ? sql`r.id = ${asked.id}` : sql`r.old_path = any (${asked.paths}::text[])`;
  const since = (until: Sql) =>
    sql`coalesce((select max(created_at) from ${redirects} b where b.id = p.id and ${until}), p.created_at)`;
  return db.many(
    NamedRow,
    sql`select p.id, lower(p.full_path) as path, ${since(sql`true`)} as since from ${places} p where ${current}
      union all
      select p.id, r.old_path, ${since(sql`b.created_at < r.created_at`)} from ${redirects} r
        join ${places} p on p.id = r.id where ${former}`,
  );
}
