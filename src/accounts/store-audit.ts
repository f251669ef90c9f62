/** Statements about the audit log, which is append-only. */
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, jsonb, nullable, type RowOf, row, text } from "../platform/row.ts";
import { joinSql, json, type MaybeSql, type Sql, sql } from "../platform/sql.ts";
import { type AuditEntry, AuditEntryRow, type AuditNote, type ChainLink, ChainLinkRow } from "./audit.ts";

/**
 * The database sets id, time and hash, under a lock that lasts until the commit.
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
  /** Entries about or by this person; not together with a name. */
  userId?: number | undefined;
  action?: string | undefined;
  /** Undefined: of all kinds. */
  actions?: readonly string[] | undefined;
  /** The name of the actor or of the affected person at that time; not together with an id. */
  name?: string | undefined;
  /** Older than the entry with this id. */
  before?: number | undefined;
}

/** The columns of an entry `e`. */
export const auditColumns = sql`e.id, e.at, e.action, e.actor_id, e.actor, e.user_id, e.person, e.ip, e.details`;

/**
 * Newest first. Actor and affected person are searched separately, each by an index: most people have few entries in a long log.
 */
export function listAuditEntries(db: Queries, filter: AuditFilter, limit: number): Promise<AuditEntry[]> {
  const { userId, action, actions, name, before } = filter;
  const conditions = [
    action !== undefined && sql`e.action = ${action}`,
    actions !== undefined && sql`e.action = any(${actions})`,
    before !== undefined && sql`e.id < ${before}`,
  ];
  const newest = (what: Sql, more: readonly MaybeSql[]) =>
    sql`select ${what} from audit_entries e where ${joinSql(more, " and ")}
      order by e.id desc limit ${limit}`;
  const ofPeople = [
    ...(userId === undefined ? [] : [sql`e.user_id = ${userId}`, sql`e.actor_id = ${userId}`]),
    ...(name === undefined
      ? []
      : [sql`lower(e.person) = lower(${name})`, sql`lower(e.actor) = lower(${name})`]),
  ].map((who) => sql`(${newest(sql`e.id`, [who, ...conditions])})`);
  if (ofPeople.length === 0) return db.many(AuditEntryRow, newest(auditColumns, conditions));
  return db.many(
    AuditEntryRow,
    sql`select ${auditColumns} from audit_entries e where e.id in (${joinSql(ofPeople, " union ")})
      order by e.id desc limit ${limit}`,
  );
}

/** Whether a leak of the same secret was recorded within a day. */
export async function wasLeakTold(db: Queries, sha256: string): Promise<boolean> {
  const { told } = await db.one(
    row({ told: boolean }),
    sql`select exists (select from audit_entries where action = 'secret_leaked' and at > now() - interval '1 day'
      and details ->> 'sha256' = ${sha256}) as told`,
  );
  return told;
}

/** An entry about a person, with their mail address. */
const NotableRow = row({
  id: integer,
  at: instant,
  action: text,
  actor: text,
  username: text,
  email: text,
  ip: text,
  /** Of a sign-in, in plain words. */
  device: text,
  /** Details of a leaked secret (`leak.ts`), else empty. */
  leak: jsonb<Readonly<Record<string, string | undefined>>>(),
});
export type Notable = RowOf<typeof NotableRow>;

/** Lists entries with these actions in a part of the log, about people with a mail address, in order. */
export function listNotable(
  db: Queries,
  { after, upTo }: { after: number; upTo: number },
  actions: readonly string[],
) {
  return db.many(
    NotableRow,
    sql`select e.id, e.at, e.action, e.actor, u.username, u.email, e.ip,
        coalesce(e.details ->> 'device', '') as device,
        case when e.action in ('token_leaked', 'secret_leaked') then e.details else '{}' end as leak
      from audit_entries e join users u on u.id = e.user_id and not u.is_placeholder
      where e.id > ${after} and e.id <= ${upTo} and e.action = any(${actions}) order by e.id`,
  );
}

const EarlierRow = row({ id: integer, ip: nullable(text), device: nullable(text) });

/**
 * Lists the networks and devices of earlier sign-ins of these people, the latest 500 of the year before. One row per sign-in and
 * place; a row of nulls if the last one is older; no row for a person's first sign-in.
 */
export function listEarlierSignIns(db: Queries, ids: readonly number[]) {
  const before = sql`b.user_id = e.user_id and b.action = 'sign_in' and b.id < e.id`;
  return db.many(
    EarlierRow,
    sql`select e.id, known.ip, known.device from audit_entries e left join lateral (
        select distinct ip, details ->> 'device' as device from (
          select b.ip, b.details from audit_entries b where ${before} and b.at > e.at - interval '1 year'
          order by b.id desc limit 500) newest) known on true
      where e.id = any(${ids}) and exists (select from audit_entries b where ${before})`,
  );
}

const IdRow = row({ id: integer });

/** Returns the id of the last of the next `most` entries after this one; undefined if there is none. */
export async function findLastOfNext(db: Queries, after: number, most: number): Promise<number | undefined> {
  const last = await db.find(
    IdRow,
    sql`select id from (select id from audit_entries where id > ${after} order by id limit ${most}) e
      order by id desc limit 1`,
  );
  return last?.id;
}

/** Returns the id of the last entry older than so many seconds; 0 if there is none. */
export async function findLastOlder(db: Queries, seconds: number): Promise<number> {
  const last = await db.find(
    IdRow,
    sql`select id from audit_entries where at <= now() - make_interval(secs => ${seconds}) order by id desc limit 1`,
  );
  return last?.id ?? 0;
}

/** Lists the links of the chain after this id, in order. */
export function listChain(db: Queries, after: number, limit: number): Promise<ChainLink[]> {
  return db.many(
    ChainLinkRow,
    sql`select id, hash, jsonb_build_array(id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        action, actor_id, actor, user_id, person, ip, details)::text as canonical
      from audit_entries where id > ${after} order by id limit ${limit}`,
  );
}
