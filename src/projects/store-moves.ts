/** Statements that move groups and projects. */
import type { Queries } from "../platform/db.ts";
import { boolean, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

/** Prevents all other moves and changes of paths until the transaction ends; to be called before anything is looked up. */
export async function lockPlaces(tx: Queries): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(places_lock())`);
}

/** Prevents moves until the transaction ends, but not others that call this. */
export async function shareLockOfPlaces(tx: Queries): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock_shared(places_lock())`);
}

/** Locks the counts of events too, which a project takes from one namespace to another. */
export async function lockPlacesAndCounts(tx: Queries): Promise<void> {
  await lockPlaces(tx);
  // Before any row is locked, in the same order as the compaction.
  await tx.run(sql`select pg_advisory_xact_lock(event_counts_lock())`);
}

/**
 * Moves a group below another one, or to the top level, where it keeps the plan it had; everything below moves along, and old
 * paths redirect (migrations 0037, 0051). Returns its new path.
 */
export async function updateParent(tx: Queries, id: number, parentId: number | null): Promise<string> {
  const { fullPath } = await tx.one(
    row({ fullPath: text }),
    sql`update namespaces n set parent_id = ${parentId}, full_path = n.path, lineage = array[n.id], updated_at = now(),
        plan = (select top.plan from namespaces top where top.id = n.lineage[1])
      where n.id = ${id} and n.kind = 'group' returning n.full_path`,
  );
  return fullPath;
}

/** Moves a project; its old path redirects from now on, and a redirect from its new path is deleted. Returns the new path. */
export async function updateNamespaceOfProject(
  tx: Queries,
  id: number,
  namespaceId: number,
): Promise<string> {
  const { fullPath } = await tx.one(
    row({ fullPath: text }),
    sql`with place as (
        select p.full_path as was, n.full_path || '/' || p.path as becomes
        from projects p, namespaces n where p.id = ${id} and n.id = ${namespaceId}),
      freed as (delete from project_redirects r using place where r.old_path = lower(place.becomes)),
      kept as (
        insert into project_redirects (old_path, project_id)
        select lower(was), ${id}::bigint from place where lower(was) <> lower(becomes)
        on conflict (old_path) do update set project_id = excluded.project_id)
      update projects p set namespace_id = ${namespaceId}, full_path = place.becomes, updated_at = now()
      from place where p.id = ${id} returning p.full_path`,
  );
  return fullPath;
}

/**
 * Whether a group has lasting owners of its own (`own`), and whether this person is a lasting owner, also by a group above
 * (`mover`). Blocked users and those who cannot sign in do not count.
 */
export function findLastingOwners(tx: Queries, namespaceId: number, userId: number) {
  const lasting = sql`m.access_level = 50 and m.expires_at is null and u.state = 'active' and not u.is_placeholder`;
  return tx.one(
    row({ own: boolean, mover: boolean }),
    sql`select exists (select from members m join users u on u.id = m.user_id
          where m.namespace_id = n.id and ${lasting}) as own,
        exists (select from members m join users u on u.id = m.user_id
          where m.namespace_id = any (n.lineage) and m.user_id = ${userId} and ${lasting}) as mover
      from namespaces n where n.id = ${namespaceId}`,
  );
}

/** Makes somebody an owner of a group, without an end. */
export function insertOwner(tx: Queries, namespaceId: number, userId: number): Promise<number> {
  return tx.run(
    sql`insert into members (namespace_id, user_id, access_level, created_by)
      values (${namespaceId}, ${userId}, 50, ${userId})
      on conflict (namespace_id, user_id) where namespace_id is not null
        do update set access_level = 50, expires_at = null`,
  );
}
