/** Statements about members of projects and groups. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, nullable, row, text } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { type Member, MemberRow, type MemberSource, type Membership, MembershipRow } from "./member.ts";

const columns = sql`m.user_id, u.username, u.name, u.state, m.access_level, m.expires_at, m.created_at,
  (select jsonb_build_object('id', c.id, 'username', c.username, 'name', c.name, 'state', c.state)
    from users c where c.id = m.created_by) as creator`;
const live = sql`(m.expires_at is null or m.expires_at > now())`;

const at = (source: MemberSource): Sql =>
  source.projectId === undefined
    ? sql`m.namespace_id = ${source.namespaceId}`
    : sql`m.project_id = ${source.projectId}`;

export interface MemberFilter {
  /** Part of a name or username. */
  search?: string | undefined;
  userIds?: readonly number[] | undefined;
  exceptIds?: readonly number[] | undefined;
  /** Whether the filter matches no member. */
  none?: boolean | undefined;
}

const matching = ({ search, userIds, exceptIds, none = false }: MemberFilter): Sql =>
  joinSql(
    [
      none ? sql`false` : sql`true`,
      search && sql`strpos(lower(u.username || ' ' || u.name), lower(${search})) > 0`,
      userIds && sql`u.id = any(${userIds}::bigint[])`,
      exceptIds && sql`u.id <> all(${exceptIds}::bigint[])`,
    ],
    " and ",
  );

/** Direct members that have not expired, in the order in which they were added; expired ones count as removed. */
export function listMembers(
  db: Queries,
  source: MemberSource,
  filter: MemberFilter,
  page: { limit: number; offset: number },
): Promise<Member[]> {
  return db.many(
    MemberRow,
    sql`select ${columns} from members m join users u on u.id = m.user_id
      where ${at(source)} and ${live} and ${matching(filter)}
      order by m.id limit ${page.limit} offset ${page.offset}`,
  );
}

export function countMembers(db: Queries, source: MemberSource, filter: MemberFilter = {}) {
  return countOf(
    db,
    sql`select count(*) as n from members m join users u on u.id = m.user_id
      where ${at(source)} and ${live} and ${matching(filter)}`,
  );
}

/** A project in its namespace, or a group. */
export interface PlaceWithAbove {
  /** The namespace of the project, or the group itself. */
  namespaceId: number;
  /** Null: a group. */
  projectId: number | null;
}

/** One row for each user: the strongest of their direct and inherited memberships, and the owner of a personal namespace. */
const everyone = ({ namespaceId, projectId }: PlaceWithAbove): Sql => sql`(
    select distinct on (user_id) * from (
      select m.user_id, m.access_level, m.expires_at, m.created_at, m.created_by
      from members m join namespaces n on n.id = ${namespaceId}
      where (m.namespace_id = any (n.lineage) or m.project_id = ${projectId}) and ${live}
      union all
      select n.owner_id, 50, null, n.created_at, null from namespaces n
      where n.id = ${namespaceId} and n.owner_id is not null
    ) held order by user_id, access_level desc, expires_at desc nulls first) m join users u on u.id = m.user_id`;

/** Direct and inherited members. */
export function listAllMembers(
  db: Queries,
  place: PlaceWithAbove,
  filter: MemberFilter,
  page: { limit: number; offset: number },
): Promise<Member[]> {
  return db.many(
    MemberRow,
    sql`select ${columns} from ${everyone(place)} where ${matching(filter)}
      order by m.user_id limit ${page.limit} offset ${page.offset}`,
  );
}

export function countAllMembers(
  db: Queries,
  place: PlaceWithAbove,
  filter: MemberFilter = {},
): Promise<number> {
  return countOf(db, sql`select count(*) as n from ${everyone(place)} where ${matching(filter)}`);
}

export function findMember(db: Queries, source: MemberSource, userId: number): Promise<Member | undefined> {
  return db.find(
    MemberRow,
    sql`select ${columns} from members m join users u on u.id = m.user_id
      where ${at(source)} and m.user_id = ${userId} and ${live}`,
  );
}

/** Whether somebody has a role in a place, from a membership of it or of a group around it. */
export async function hasRole(db: Queries, source: MemberSource, userId: number): Promise<boolean> {
  const roles =
    source.projectId === undefined
      ? sql`group_roles where namespace_id = ${source.namespaceId}`
      : sql`project_roles where project_id = ${source.projectId}`;
  const shape = row({ has: boolean });
  return (await db.one(shape, sql`select exists (select from ${roles} and user_id = ${userId}) as has`)).has;
}

/** What a user was added to, without what is being removed. */
const addedTo = (userId: number, type: Membership["sourceType"] | undefined): Sql => sql`members m
  left join projects p on p.id = m.project_id left join namespaces n on n.id = m.namespace_id
  where m.user_id = ${userId} and ${live} and coalesce(p.removal_began_at, n.removal_began_at) is null
    and ${type === undefined ? sql`true` : type === "Project" ? sql`p.id is not null` : sql`n.id is not null`}`;

/** A page of the direct memberships of a user, of one type or of both, in the order in which they were added. */
export function listMemberships(
  db: Queries,
  userId: number,
  type: Membership["sourceType"] | undefined,
  page: { limit: number; offset: number },
): Promise<Membership[]> {
  return db.many(
    MembershipRow,
    sql`select coalesce(p.id, n.id) as source_id, coalesce(p.name, n.name) as source_name,
        case when p.id is null then 'Namespace' else 'Project' end as source_type, m.access_level
      from ${addedTo(userId, type)} order by m.id limit ${page.limit} offset ${page.offset}`,
  );
}

export function countMemberships(db: Queries, userId: number, type: Membership["sourceType"] | undefined) {
  return countOf(db, sql`select count(*) as n from ${addedTo(userId, type)}`);
}

export interface NewMember {
  userId: number;
  accessLevel: number;
  expiresAt: Date | null;
  createdBy: number | null;
}

/** Whether a membership that ends then would be over. */
export async function isPast(db: Queries, end: Date): Promise<boolean> {
  const { past } = await db.one(row({ past: boolean }), sql`select ${end}::timestamptz <= now() as past`);
  return past;
}

/** Inserts a member. Zero rows: is a member already, or the end is not in the future. */
export function insertMember(db: Queries, source: MemberSource, member: NewMember): Promise<number> {
  return db.run(
    sql`insert into members (project_id, namespace_id, user_id, access_level, expires_at, created_by)
      select ${source.projectId ?? null}::bigint, ${source.namespaceId ?? null}::bigint, ${member.userId}::bigint,
        ${member.accessLevel}::smallint, ${member.expiresAt}::timestamptz, ${member.createdBy}::bigint
      where coalesce(${member.expiresAt}::timestamptz > now(), true)
      on conflict do nothing`,
  );
}

/** Changes a member who has not expired. Zero rows: no such member, or the new end is not in the future. */
export function updateMember(
  db: Queries,
  source: MemberSource,
  userId: number,
  change: { accessLevel: number; expiresAt: Date | null },
): Promise<number> {
  return db.run(
    sql`update members m set access_level = ${change.accessLevel}, expires_at = ${change.expiresAt}
      where ${at(source)} and m.user_id = ${userId} and ${live}
        and coalesce(${change.expiresAt}::timestamptz > now(), true)`,
  );
}

/** Deletes a member who has not expired. */
export function deleteMember(db: Queries, source: MemberSource, userId: number): Promise<number> {
  return db.run(sql`delete from members m where ${at(source)} and m.user_id = ${userId} and ${live}`);
}

const Expired = row({ projectId: nullable(integer), userId: integer, expiresAt: instant });

/**
 * Removes the end of the membership of a top-level group's last owner, once it is over; if several have ended, of the one that
 * ended last. Who cannot sign in counts only where nobody who can owns the group. Subgroups have the owners of the groups above.
 */
export function keepLastOwners(db: Queries) {
  return db.many(
    row({ userId: integer, fullPath: text }),
    sql`with last as (
        select distinct on (e.namespace_id) e.id from members e join namespaces n on n.id = e.namespace_id
          join users u on u.id = e.user_id
        where e.expires_at <= now() and e.access_level = 50 and n.parent_id is null
          and not exists (select from members o join users other on other.id = o.user_id
            where o.namespace_id = e.namespace_id and o.access_level = 50
              and (o.expires_at is null or o.expires_at > now()) and (u.is_placeholder or not other.is_placeholder))
        order by e.namespace_id, u.is_placeholder, e.expires_at desc, e.id)
      update members m set expires_at = null from last, namespaces n
      where m.id = last.id and n.id = m.namespace_id returning m.user_id, n.full_path`,
  );
}

/** Deletes memberships that have ended, of one user or of all, at most 500, the oldest first. */
export function takeExpiredMembers(db: Queries, only?: { source: MemberSource; userId: number }) {
  const which = only ? sql`${at(only.source)} and m.user_id = ${only.userId}` : sql`true`;
  return db.many(
    Expired,
    sql`delete from members where id in (
        select id from members m where m.expires_at <= now() and ${which}
        order by m.expires_at limit 500 for update skip locked)
      returning project_id, user_id, expires_at`,
  );
}

/** Locks a group until the transaction ends: nobody else changes or removes its members, or creates something in it. */
export async function lockGroup(tx: Queries, id: number): Promise<void> {
  await tx.run(sql`select 1 as held from namespaces where id = ${id} for no key update`);
}

/**
 * Locks what gives the actor a role in a place, which may be memberships of groups around it, and the memberships of others in
 * the place itself; none of them is changed or ended until the commit. Ordered by id to avoid deadlocks.
 */
export async function lockMemberships(
  tx: Queries,
  source: MemberSource,
  actorId: number,
  userIds: readonly number[],
): Promise<void> {
  const around =
    source.projectId === undefined
      ? sql`select lineage from namespaces where id = ${source.namespaceId}`
      : sql`select lineage from projects where id = ${source.projectId}`;
  await tx.run(
    sql`select 1 as held from members where id = any (array(
        select m.id from members m where ${at(source)} and m.user_id = any (${[actorId, ...userIds]}::bigint[])
        union all
        select m.id from members m where m.namespace_id = any ((${around})::bigint[]) and m.user_id = ${actorId}))
      order by id for no key update`,
  );
}

const OthersRow = row({ now: integer, lasting: integer });

/**
 * How many users own a group by other memberships than this one, including inherited ones and other ones of this user, and how
 * many of them without an end; blocked users and those who cannot sign in do not count.
 */
export function countOtherOwners(tx: Queries, namespaceId: number, userId: number) {
  return tx.one(
    OthersRow,
    sql`select count(distinct m.user_id) as now,
        count(distinct m.user_id) filter (where m.expires_at is null) as lasting
      from members m join users u on u.id = m.user_id and u.state = 'active' and not u.is_placeholder
      where m.namespace_id = any (select unnest(lineage) from namespaces where id = ${namespaceId})
        and not (m.namespace_id = ${namespaceId} and m.user_id = ${userId}) and m.access_level = 50 and ${live}`,
  );
}

/** The people who can renew the secrets of a project, in the order of their ids. */
export async function listMaintainers(db: Queries, projectId: number): Promise<number[]> {
  const found = await db.many(
    row({ id: integer }),
    sql`select u.id from project_roles r join users u on u.id = r.user_id
      where r.project_id = ${projectId} and r.access_level >= 40 and u.state = 'active' and not u.is_placeholder
      order by u.id limit 20`,
  );
  return found.map(({ id }) => id);
}
