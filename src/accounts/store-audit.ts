/** Statements about the audit log, which is only ever added to. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, row, text } from "../platform/row.ts";
import { joinSql, json, sql } from "../platform/sql.ts";
import { type AuditEntry, AuditEntryRow, type AuditNote, type ChainLink, ChainLinkRow } from "./audit.ts";

/**
 * Number, time and hash are set by the database, under a lock that lasts to the commit.
 * @param isWanted false: the same statement writes nothing
 */
export function insertAuditEntry(db: Queries, note: AuditNote, isWanted = true): Promise<number> {
  const { action, actorId, userId, ip, details = {} } = note;
  return db.run(
    sql`insert into audit_entries (action, actor_id, actor, user_id, person, ip, details)
      select ${action}::text, ${actorId}::bigint, coalesce((select username from users where id = ${actorId}), ''),
        ${userId}::bigint, coalesce((select username from users where id = ${userId}), ''), ${ip}::text,
        ${json(details)}::jsonb
      where ${isWanted}::boolean`,
  );
}

export interface AuditFilter {
  /** About this person or by them. */
  userId?: number | undefined;
  action?: string | undefined;
  /** The name of then of whoever did it or whom it concerns. */
  name?: string | undefined;
  /** Older than the entry of this number. */
  before?: number | undefined;
}

/** Newest first. */
export function listAuditEntries(db: Queries, filter: AuditFilter, limit: number): Promise<AuditEntry[]> {
  const { userId, action, name, before } = filter;
  const conditions = [sql`true`];
  if (userId !== undefined) conditions.push(sql`(user_id = ${userId} or actor_id = ${userId})`);
  if (action !== undefined) conditions.push(sql`action = ${action}`);
  if (name !== undefined) conditions.push(sql`lower(${name}) in (lower(actor), lower(person))`);
  if (before !== undefined) conditions.push(sql`id < ${before}`);
  return db.many(
    AuditEntryRow,
    sql`select id, at, action, actor_id, actor, user_id, person, ip, details from audit_entries
      where ${joinSql(conditions, " and ")} order by id desc limit ${limit}`,
  );
}

/** A person's act or fate, with where to write to them. */
const NotableRow = row({
  id: integer,
  at: instant,
  action: text,
  actor: text,
  username: text,
  email: text,
  ip: text,
});

/** Entries of these actions after this number and of the last hour, about people who can be written to, in order. */
export function listNotable(db: Queries, after: number, actions: readonly string[]) {
  return db.many(
    NotableRow,
    sql`select e.id, e.at, e.action, e.actor, u.username, u.email, e.ip
      from (select * from audit_entries where id > ${after} order by id desc limit 2000) e
      join users u on u.id = e.user_id and not u.is_placeholder
      where e.action = any(${actions}) and e.at > now() - interval '1 hour' order by e.id`,
  );
}

/** The links of the chain after this number, in order. */
export function listChain(db: Queries, after: number, limit: number): Promise<ChainLink[]> {
  return db.many(
    ChainLinkRow,
    sql`select id, hash, jsonb_build_array(id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        action, actor_id, actor, user_id, person, ip, details)::text as canonical
      from audit_entries where id > ${after} order by id limit ${limit}`,
  );
}
