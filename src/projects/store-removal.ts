/** Statements that mark projects and groups for deletion, restore them, and remove them in portions (decision 0152). */
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import type { PlaceKind } from "./lifecycle.ts";

const tableOf = (kind: PlaceKind): Sql => (kind === "project" ? sql`projects` : sql`namespaces`);

/** Marks it for removal after so many days; 0: it is marked already. */
export function updateMarked(tx: Queries, kind: PlaceKind, id: number, days: number): Promise<number> {
  return tx.run(
    sql`update ${tableOf(kind)} set marked_for_deletion_at = now(), updated_at = now(),
        removal_due_at = now() + ${days}::integer * interval '24 hours'
      where id = ${id} and marked_for_deletion_at is null`,
  );
}

/** Removes the mark, unless the removal has begun; 0: there is no mark, or it has begun. */
export function updateRestored(tx: Queries, kind: PlaceKind, id: number): Promise<number> {
  return tx.run(
    sql`update ${tableOf(kind)} set marked_for_deletion_at = null, removal_due_at = null, updated_at = now()
      where id = ${id} and marked_for_deletion_at is not null and removal_began_at is null`,
  );
}

/** Makes a marked place due for removal at once; 0: it is due already. */
export function updateRemovalDue(tx: Queries, kind: PlaceKind, id: number): Promise<number> {
  return tx.run(
    sql`update ${tableOf(kind)} set removal_due_at = now(), updated_at = now()
      where id = ${id} and marked_for_deletion_at is not null and removal_due_at > now()`,
  );
}

/** When it is removed by the mark that was just set, and who set it; undefined: their account was removed meanwhile. */
export function findMark(tx: Queries, kind: PlaceKind, id: number, byId: number) {
  return tx.find(
    row({ by: text, at: instant, dueAt: instant }),
    sql`select u.username as by, now() as at, p.removal_due_at as due_at from ${tableOf(kind)} p, users u
      where p.id = ${id} and u.id = ${byId}`,
  );
}

/**
 * The mail addresses of its owners, including inherited ones, in the order of their ids; without blocked users and those who have
 * no mailbox or do not want such mails (decision 0185).
 */
export function listOwnerAddresses(tx: Queries, kind: PlaceKind, id: number, limit: number) {
  const owners =
    kind === "project"
      ? sql`project_roles r where r.project_id = ${id}`
      : sql`group_roles r where r.namespace_id = ${id}`;
  return tx.many(
    row({ email: text }),
    sql`select u.email from users u
      where u.id in (select r.user_id from ${owners} and r.access_level = 50)
        and u.state = 'active' and not u.is_placeholder and u.email <> '' and u.deletion_mails
      order by u.id limit ${limit}`,
  );
}

/** Hides what is due, with everything in it; from then on it cannot be restored. */
export async function beginRemovals(db: Queries): Promise<void> {
  await db.run(sql`select begin_removals()`);
}

const IdRow = row({ id: integer });

/** The first projects whose removal has begun. */
export function listProjectsInRemoval(db: Queries) {
  return db.many(
    IdRow,
    sql`select id from projects where removal_began_at is not null order by removal_began_at, id limit 50`,
  );
}

/** Groups in removal that contain no project any more, the innermost first. */
export function listGroupsInRemoval(db: Queries) {
  return db.many(
    IdRow,
    sql`select n.id from namespaces n where n.removal_due_at is not null and n.removal_began_at is not null
        and not exists (select from projects p where p.lineage @> array[n.id])
      order by cardinality(n.lineage) desc, n.id limit 50`,
  );
}

/** Deletes some of the many rows of a project; returns how many, 0: the rest is deleted with the project. */
export async function deleteSomeOfProject(db: Queries, id: number, most: number): Promise<number> {
  const { removed } = await db.one(
    row({ removed: integer }),
    sql`select remove_some_of_project(${id}::bigint, ${most}::integer) as removed`,
  );
  return removed;
}

/** Deletes it and returns the path that is free now; null: another process was faster, or the group is not empty. */
export async function deletePlace(tx: Queries, kind: PlaceKind, id: number): Promise<string | null> {
  const removed = kind === "project" ? sql`remove_project(${id}::bigint)` : sql`remove_group(${id}::bigint)`;
  const { freed } = await tx.one(row({ freed: nullable(text) }), sql`select ${removed} as freed`);
  return freed;
}
