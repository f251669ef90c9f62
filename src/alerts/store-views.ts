/** Statements about saved views: names that a person gave to lists of a project's alerts. */
import type { Queries } from "../platform/db.ts";
import { integer, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

export const ViewRow = row({ id: integer, name: text, query: text });
export type View = RowOf<typeof ViewRow>;

/** How many views a person may save in a project. */
export const MAX_VIEWS = 20;

export function listViews(db: Queries, projectId: number, userId: number): Promise<View[]> {
  return db.many(
    ViewRow,
    sql`select id, name, query from alert_views where project_id = ${projectId} and user_id = ${userId}
      order by lower(name)`,
  );
}

/** Saves a view, or replaces the query of the one with this name; 0 if there are too many already. */
export function upsertView(
  db: Queries,
  projectId: number,
  userId: number,
  view: { name: string; query: string },
): Promise<number> {
  return db.run(
    sql`insert into alert_views (project_id, user_id, name, query)
      select ${projectId}, ${userId}, ${view.name}, ${view.query}
      where (select count(*) from alert_views
        where project_id = ${projectId} and user_id = ${userId} and lower(name) <> lower(${view.name})) < ${MAX_VIEWS}
      on conflict (project_id, user_id, lower(name)) do update set name = excluded.name, query = excluded.query`,
  );
}

/** Deletes a view of a person. */
export function deleteView(db: Queries, projectId: number, userId: number, id: number): Promise<number> {
  return db.run(
    sql`delete from alert_views where id = ${id} and project_id = ${projectId} and user_id = ${userId}`,
  );
}
