/** Statements about namespaces, whose names users and groups share. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { integer, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { mayBePath, type Namespace, NamespaceRow } from "./namespace.ts";

const columns = sql`n.id, n.kind, n.owner_id, n.parent_id, n.lineage, n.path, n.full_path, n.name, n.description,
  n.visibility, n.plan, n.created_at`;

/** Finds a namespace by id (all digits) or full path in any case; an old path finds the one that had it (decision 0122). */
export async function findNamespace(db: Queries, reference: string): Promise<Namespace | undefined> {
  if (/^\d+$/.test(reference)) {
    const id = Number(reference);
    if (!Number.isSafeInteger(id)) return undefined;
    return db.find(NamespaceRow, sql`select ${columns} from namespaces n where n.id = ${id}`);
  }
  return findNamespaceAt(db, reference);
}

/** The same by the full path only, which may have only digits. */
export async function findNamespaceAt(db: Queries, path: string): Promise<Namespace | undefined> {
  if (!mayBePath(path)) return undefined;
  return db.find(
    NamespaceRow,
    sql`select ${columns} from namespaces n
      where n.id = coalesce((select id from namespaces where lower(full_path) = lower(${path})),
        (select namespace_id from namespace_redirects where old_path = lower(${path})))`,
  );
}

export interface NewGroup {
  parent: Namespace | undefined;
  path: string;
  name: string;
  description: string;
  visibility: Namespace["visibility"];
}

/** Inserts a group; its lineage is that of the parent followed by itself. */
export function insertGroup(db: Queries, group: NewGroup): Promise<Namespace> {
  const prefix = group.parent ? `${group.parent.fullPath}/` : "";
  return db.one(
    NamespaceRow,
    sql`with n as (
        insert into namespaces (kind, parent_id, lineage, path, full_path, name, description, visibility)
        values ('group', ${group.parent?.id ?? null}, ${group.parent?.lineage ?? []}, ${group.path},
          ${prefix + group.path}, ${group.name}, ${group.description}, ${group.visibility})
        returning *)
      select ${columns} from n`,
  );
}

export function updatePlan(db: Queries, id: number, plan: Namespace["plan"]): Promise<number> {
  return db.run(sql`update namespaces set plan = ${plan}, updated_at = now() where id = ${id}`);
}

/**
 * Renames a person and their namespace; everything below it moves along (migration 0037). Returns the old name; undefined if the
 * person no longer exists.
 */
export async function updateUsername(
  tx: Queries,
  userId: number,
  username: string,
): Promise<string | undefined> {
  const found = await tx.find(
    row({ was: text }),
    sql`with old as (select username from users where id = ${userId} for update),
        place as (update namespaces set path = ${username}, full_path = ${username}, updated_at = now()
          where owner_id = ${userId})
      update users set username = ${username}, updated_at = now() from old
      where id = ${userId} returning old.username as was`,
  );
  return found?.was;
}

/** Counts the former names that are reserved for a person. */
export function countFormerNames(db: Queries, userId: number): Promise<number> {
  return countOf(
    db,
    sql`select count(*) as n from namespace_redirects r join namespaces n on n.id = r.namespace_id
      where n.owner_id = ${userId}`,
  );
}

const MovedRow = row({ id: integer, kind: oneOf(["user", "group"]), fullPath: text });

/** Finds the namespace that had this path before. */
export function findMovedNamespace(db: Queries, path: string): Promise<RowOf<typeof MovedRow> | undefined> {
  return db.find(
    MovedRow,
    sql`select n.id, n.kind, n.full_path from namespace_redirects r join namespaces n on n.id = r.namespace_id
      where r.old_path = lower(${path})`,
  );
}
