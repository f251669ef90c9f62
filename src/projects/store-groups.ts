/** Statements about groups and who may see them. */
import { mayBePath } from "../accounts/namespace.ts";
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { row, text } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import type { Asker } from "./asker.ts";
import { type Group, type GroupOrder, GroupRow } from "./group.ts";
import {
  aroundGroup,
  isActiveGroup,
  isArchivedGroup,
  isGroupMarkedOn,
  lifecycleOf,
} from "./store-lifecycle.ts";

const columns = (
  asker: Asker | undefined,
) => sql`n.id, n.kind, n.owner_id, n.parent_id, n.lineage, n.path, n.full_path,
  n.name, concat_ws(' / ', around.names, n.name) as full_name, n.description, n.visibility, (select top.plan from namespaces top where top.id = n.lineage[1]) as plan,
  n.created_at, ${lifecycleOf(sql`n`)}, ${level(asker)} as access`;

const groupsOf = (asker: Asker | undefined): Sql => sql`namespaces n
  left join group_roles r on r.namespace_id = n.id and r.user_id = ${asker?.id ?? null}::bigint`;

const level = (asker: Asker | undefined): Sql =>
  asker?.isAdmin ? sql`50` : sql`coalesce(r.access_level, 0)`;

/** Nobody sees a group that is being removed. */
const visibleTo = (asker: Asker | undefined): Sql => sql`(n.removal_began_at is null and ${openTo(asker)})`;

/** Members of what is below a private group see the group; otherwise they could not get there. */
const openTo = (asker: Asker | undefined): Sql => {
  if (!asker) return sql`n.visibility = 'public'`;
  if (asker.isAdmin) return sql`true`;
  // Evaluated once for a statement rather than once for each group: a list examines all of them.
  return sql`(n.visibility <> 'private' or r.access_level is not null
    or n.id in (select unnest(coalesce(below.lineage, p.lineage)) from members m
        left join namespaces below on below.id = m.namespace_id left join projects p on p.id = m.project_id
        where m.user_id = ${asker.id} and (m.expires_at is null or m.expires_at > now())))`;
};

/** One's own namespace and the groups in which one has a role; for administrators all. Selected by their ids, which are few. */
const belongsTo = (asker: Asker): Sql =>
  asker.isAdmin
    ? sql`n.removal_began_at is null`
    : sql`(n.removal_began_at is null and n.id in (select namespace_id from group_roles where user_id = ${asker.id}
        union all select id from namespaces where owner_id = ${asker.id}))`;

const visibleGroups = (asker: Asker | undefined) => sql`n.kind = 'group' and ${visibleTo(asker)}`;

/** The group of an id (all digits) or full path in any case, now or before, if the asker may see it. */
export function findVisibleGroup(
  db: Queries,
  asker: Asker | undefined,
  reference: string,
): Promise<Group | undefined> {
  return findAmong(db, asker, placed(reference, everAtPath), visibleGroups(asker));
}

/** By the current full path only, which may have only digits. */
export function findGroupAt(db: Queries, asker: Asker | undefined, path: string): Promise<Group | undefined> {
  return findAmong(db, asker, atPath(path), visibleGroups(asker));
}

/** By the full path only, now or before: the old path is accepted in what is changed (decision 0122). */
export function findGroupEverAt(db: Queries, asker: Asker, path: string): Promise<Group | undefined> {
  return findAmong(db, asker, everAtPath(path), visibleGroups(asker));
}

/** By id or current full path, among the namespaces of a list with `namespacesOf`. */
export function findNamespaceOf(db: Queries, asker: Asker, reference: string): Promise<Group | undefined> {
  return findAmong(db, asker, placed(reference, atPath), belongsTo(asker));
}

/** The condition for an id (all digits) or full path; undefined: no group can have it. */
function placed(reference: string, byPath: (path: string) => Sql | undefined): Sql | undefined {
  if (!/^\d+$/.test(reference)) return byPath(reference);
  const id = Number(reference);
  return Number.isSafeInteger(id) ? sql`n.id = ${id}` : undefined;
}

function atPath(path: string): Sql | undefined {
  return mayBePath(path) ? sql`lower(n.full_path) = lower(${path})` : undefined;
}

function everAtPath(path: string): Sql | undefined {
  if (!mayBePath(path)) return undefined;
  return sql`n.id = coalesce((select id from namespaces where lower(full_path) = lower(${path})),
    (select namespace_id from namespace_redirects where old_path = lower(${path})))`;
}

async function findAmong(
  db: Queries,
  asker: Asker | undefined,
  which: Sql | undefined,
  among: Sql,
): Promise<Group | undefined> {
  if (!which) return undefined;
  return db.find(
    GroupRow,
    sql`select ${columns(asker)} from ${groupsOf(asker)} ${aroundGroup}
      where ${which} and ${among}`,
  );
}

/**
 * Which of these paths are taken: at the top level by any user or group, as creating one there tells everybody; in a parent by
 * groups that the asker may see. Former paths stay taken (decision 0122).
 */
export function listTaken(
  db: Queries,
  asker: Asker,
  parent: Pick<Group, "fullPath"> | undefined,
  paths: readonly string[],
) {
  const fullPath = sql`lower(${parent ? `${parent.fullPath}/` : ""} || asked.path)`;
  return db.many(
    row({ path: text }),
    // Joined to what has the path: as a condition, it would be evaluated for every namespace.
    sql`select asked.path from unnest(${paths}::text[]) asked (path) where exists (
        select from (select id from namespaces where lower(full_path) = ${fullPath}
            union all select namespace_id from namespace_redirects where old_path = ${fullPath}) found
          join (${groupsOf(asker)}) on n.id = found.id
        where ${parent ? openTo(asker) : sql`true`})`,
  );
}

/** Names and paths of groups, outermost first. */
export function listNames(db: Queries, lineage: readonly number[]) {
  return db.many(
    row({ name: text, fullPath: text }),
    sql`select name, full_path from namespaces where id = any (${lineage}::bigint[]) order by cardinality(lineage)`,
  );
}

/** Absent members stay as they are, even if others change them; `path` comes with `fullPath`. */
export interface GroupChange {
  name?: string | undefined;
  path?: string | undefined;
  fullPath?: string | undefined;
  description?: string | undefined;
  visibility?: Group["visibility"] | undefined;
}

/** The paths of everything below change too; the old path redirects and stays reserved. */
export function updateGroup(db: Queries, id: number, change: GroupChange): Promise<number> {
  const { name = null, path = null, fullPath = null, description = null, visibility = null } = change;
  return db.run(
    sql`update namespaces set name = coalesce(${name}, name), path = coalesce(${path}, path),
      full_path = coalesce(${fullPath}, full_path), description = coalesce(${description}, description),
      visibility = coalesce(${visibility}, visibility), updated_at = now()
      where id = ${id} and kind = 'group'`,
  );
}

export interface GroupFilter {
  search?: string | undefined;
  /** The least level that the asker needs by a role, even as an administrator; 0: everything that they see. */
  leastAccess: number;
  /** Only direct subgroups of this one. */
  parentId?: number | undefined;
  /** Only groups below this one. */
  belowId?: number | undefined;
  /** Only groups in which this project is, directly or below. */
  aroundProjectId?: number | undefined;
  /** Only top-level groups. */
  topLevel?: boolean | undefined;
  /** Only groups of this visibility. */
  visibility?: Group["visibility"] | undefined;
  /** Ids of groups that are left out. */
  exceptIds?: readonly number[] | undefined;
  /** Only groups that are archived, or only those that are not. */
  archived?: boolean | undefined;
  /** Only groups that are neither archived nor marked for deletion, or only the others. */
  active?: boolean | undefined;
  /** Only groups marked for deletion on this day (UTC). */
  markedOn?: string | undefined;
  /** Undefined: by the whole path. */
  orderBy?: GroupOrder | undefined;
  /** Undefined: ascending. */
  descending?: boolean | undefined;
  /** Not what the asker sees, but what belongs to them: their own namespace and their groups. */
  namespacesOf?: Asker | undefined;
  /** Only those that the asker owns. */
  owned?: boolean | undefined;
}

const conditions = (asker: Asker | undefined, filter: GroupFilter): Sql =>
  joinSql(
    [
      ...(filter.namespacesOf ? [belongsTo(filter.namespacesOf)] : [sql`n.kind = 'group'`, visibleTo(asker)]),
      filter.leastAccess > 0 && sql`r.access_level >= ${filter.leastAccess}`,
      filter.parentId !== undefined && sql`n.parent_id = ${filter.parentId}`,
      filter.belowId !== undefined &&
        sql`n.lineage @> array[${filter.belowId}::bigint] and n.id <> ${filter.belowId}`,
      filter.aroundProjectId !== undefined &&
        sql`n.id = any (select unnest(lineage) from projects where id = ${filter.aroundProjectId})`,
      filter.owned && sql`(r.access_level >= 50 or n.owner_id = ${asker?.id ?? null}::bigint)`,
      filter.topLevel && sql`n.parent_id is null`,
      filter.visibility && sql`n.visibility = ${filter.visibility}`,
      filter.exceptIds && sql`n.id <> all (${filter.exceptIds}::bigint[])`,
      filter.archived !== undefined && sql`${isArchivedGroup} = ${filter.archived}::boolean`,
      filter.active !== undefined && sql`${isActiveGroup} = ${filter.active}::boolean`,
      filter.markedOn && isGroupMarkedOn(filter.markedOn),
      filter.search && sql`strpos(lower(n.full_path || ' ' || n.name), lower(${filter.search})) > 0`,
    ],
    " and ",
  );

const ORDERS: Readonly<Record<GroupOrder, Sql>> = {
  id: sql`n.id`,
  name: sql`lower(n.name)`,
  path: sql`lower(n.path)`,
};

/** The page is selected among all visible groups at once; one by one, each group would be compared with each role. */
export function listGroups(
  db: Queries,
  asker: Asker | undefined,
  filter: GroupFilter,
  page: { limit: number; offset: number },
): Promise<Group[]> {
  const place = filter.orderBy ? ORDERS[filter.orderBy] : sql`lower(n.full_path)`;
  const way = filter.descending ? sql`desc` : sql`asc`;
  return db.many(
    GroupRow,
    sql`select ${columns(asker)} from (
        select * from (select n.id, ${place} as place, r.access_level
          from ${groupsOf(asker)} where ${conditions(asker, filter)} offset 0) seen
        order by place ${way}, id ${way} limit ${page.limit} offset ${page.offset}
      ) r cross join lateral (select * from namespaces where id = r.id offset 0) n ${aroundGroup}
      order by r.place ${way}, r.id ${way}`,
  );
}

export function countGroups(db: Queries, asker: Asker | undefined, filter: GroupFilter): Promise<number> {
  return countOf(db, sql`select count(*) as n from ${groupsOf(asker)} where ${conditions(asker, filter)}`);
}
