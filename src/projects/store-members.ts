/** Statements about members of projects and groups. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Member, MemberRow, type MemberSource } from "./member.ts";

const columns = sql`m.user_id, u.username, u.name, u.state, m.access_level, m.expires_at, m.created_at`;

const at = (source: MemberSource): Sql =>
  source.projectId === undefined
    ? sql`m.namespace_id = ${source.namespaceId}`
    : sql`m.project_id = ${source.projectId}`;

/** Live members first to last by name; expired ones are as good as gone. */
export function listMembers(
  db: Queries,
  source: MemberSource,
  page: { limit: number; offset: number },
): Promise<Member[]> {
  return db.many(
    MemberRow,
    sql`select ${columns} from members m join users u on u.id = m.user_id
      where ${at(source)} and (m.expires_at is null or m.expires_at > now())
      order by m.id limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countMembers(db: Queries, source: MemberSource): Promise<number> {
  const { n } = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from members m where ${at(source)} and (m.expires_at is null or m.expires_at > now())`,
  );
  return n;
}

export function findMember(db: Queries, source: MemberSource, userId: number): Promise<Member | undefined> {
  return db.find(
    MemberRow,
    sql`select ${columns} from members m join users u on u.id = m.user_id
      where ${at(source)} and m.user_id = ${userId} and (m.expires_at is null or m.expires_at > now())`,
  );
}

export interface NewMember {
  userId: number;
  accessLevel: number;
  expiresAt: Date | null;
  createdBy: number | null;
}

/** Inserts a member; one whose time has passed but who was not swept yet is replaced. Zero rows: is a member already. */
export function insertMember(db: Queries, source: MemberSource, member: NewMember): Promise<number> {
  const conflict: Sql =
    source.projectId === undefined
      ? sql`(namespace_id, user_id) where namespace_id is not null`
      : sql`(project_id, user_id) where project_id is not null`;
  return db.run(
    sql`insert into members as m (project_id, namespace_id, user_id, access_level, expires_at, created_by)
      values (${source.projectId ?? null}, ${source.namespaceId ?? null}, ${member.userId}, ${member.accessLevel},
        ${member.expiresAt}, ${member.createdBy})
      on conflict ${conflict} do update
        set access_level = excluded.access_level, expires_at = excluded.expires_at,
          created_by = excluded.created_by, created_at = now()
        where m.expires_at <= now()`,
  );
}

export function updateMember(
  db: Queries,
  source: MemberSource,
  userId: number,
  change: { accessLevel: number; expiresAt: Date | null },
): Promise<number> {
  return db.run(
    sql`update members m set access_level = ${change.accessLevel}, expires_at = ${change.expiresAt}
      where ${at(source)} and m.user_id = ${userId} and (m.expires_at is null or m.expires_at > now())`,
  );
}

export function deleteMember(db: Queries, source: MemberSource, userId: number): Promise<number> {
  return db.run(sql`delete from members m where ${at(source)} and m.user_id = ${userId}`);
}
