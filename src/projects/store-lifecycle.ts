/** Statements about archived and marked projects and groups (decisions 0152, 0153). */
import type { Queries } from "../platform/db.ts";
import { type Sql, sql } from "../platform/sql.ts";
import type { PlaceKind } from "./lifecycle.ts";

/** The state of the groups around it, as `around`; for projects only looked up if they are read-only. */
const aroundIt = (which: Sql): Sql => sql`left join lateral (
    select min(a.archived_at) as archived_at, min(a.marked_for_deletion_at) as marked_for_deletion_at,
      min(a.removal_due_at) as removal_due_at,
      (array_agg(a.full_path order by cardinality(a.lineage)) filter (where a.archived_at is not null))[1] as archived_with,
      (array_agg(a.full_path order by cardinality(a.lineage))
        filter (where a.marked_for_deletion_at is not null))[1] as marked_with,
      string_agg(a.name, ' / ' order by cardinality(a.lineage)) as names
    from namespaces a where ${which}) around on true`;

/** The groups around a project `p`. */
export const aroundProject = aroundIt(sql`p.archived and a.id = any (p.lineage)`);
/** The groups around a group `n`. */
export const aroundGroup = aroundIt(sql`a.id = any (n.lineage) and a.id <> n.id`);

/** The columns of `lifecycleColumns` for `p` or `n`, from its own row and `around`. */
export const lifecycleOf = (it: Sql): Sql => sql`least(${it}.archived_at, around.archived_at) as archived_at,
  least(${it}.marked_for_deletion_at, around.marked_for_deletion_at) as marked_for_deletion_at,
  least(${it}.removal_due_at, around.removal_due_at) as removal_due_at, ${it}.archived_at is not null as is_archived_itself,
  ${it}.marked_for_deletion_at is not null as is_marked_itself, around.archived_with, around.marked_with`;

const isArchivedAround = (lineage: Sql): Sql =>
  sql`exists (select from namespaces a where a.id = any (${lineage}) and a.archived_at is not null)`;

/** Whether a project `p` is archived, by itself or with a group around it. */
export const isArchivedProject = sql`(p.archived and (p.archived_at is not null or ${isArchivedAround(sql`p.lineage`)}))`;
/** Whether a group `n` is archived, by itself or with a group around it. */
export const isArchivedGroup = isArchivedAround(sql`n.lineage`);

/** Whether a group `n` is neither archived nor marked for deletion, by itself or with a group around it. */
export const isActiveGroup = sql`(not rests_around(n.lineage))`;

const markedAround = (lineage: Sql): Sql =>
  sql`(select min(a.marked_for_deletion_at) from namespaces a where a.id = any (${lineage}))`;

const isOnDay = (moment: Sql, day: string): Sql => sql`(${moment} at time zone 'UTC')::date = ${day}::date`;

/** Whether a project `p` was marked for deletion on a day (UTC), by itself or with a group around it. */
export const isProjectMarkedOn = (day: string): Sql =>
  sql`(p.archived and ${isOnDay(sql`least(p.marked_for_deletion_at, ${markedAround(sql`p.lineage`)})`, day)})`;
/** Whether a group `n` was marked for deletion on a day (UTC), by itself or with a group around it. */
export const isGroupMarkedOn = (day: string): Sql => isOnDay(markedAround(sql`n.lineage`), day);

const tableOf = (kind: PlaceKind): Sql => (kind === "project" ? sql`projects` : sql`namespaces`);

/** Archives or unarchives it, and everything in a group with it (migration 0055). 0: nothing changed. */
export function updateArchived(
  tx: Queries,
  kind: PlaceKind,
  id: number,
  isArchived: boolean,
): Promise<number> {
  return tx.run(
    sql`update ${tableOf(kind)} set archived_at = case when ${isArchived}::boolean then now() end, updated_at = now()
      where id = ${id} and (archived_at is not null) <> ${isArchived}::boolean`,
  );
}
