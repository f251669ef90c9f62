/** Statements about browser sessions. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import {
  ANONYMOUS_AT_MOST,
  ANONYMOUS_SECONDS,
  FRESH_PROOF_SECONDS,
  KEPT_SESSION,
  type Method,
  type OpenSession,
  OpenSessionRow,
  PASSING_SESSION,
  type SessionRecord,
  SessionRow,
} from "./session.ts";

/** Lifetime of a session without use, in seconds. */
function idleSeconds(kept: Sql, isAdmin: Sql): Sql {
  const { idle, administratorIdle } = PASSING_SESSION;
  return sql`case when ${kept} then ${KEPT_SESSION.idle}::bigint when ${isAdmin} then ${administratorIdle} else ${idle} end`;
}

/** When a session `s` ends, whatever its use. */
const ENDS_AT = sql`s.created_at + make_interval(secs =>
  case when s.kept then ${KEPT_SESSION.absolute}::bigint else ${PASSING_SESSION.absolute} end)`;

/** Finds the valid session of a cookie; that of a blocked user counts as absent. */
export function findSession(db: Queries, digest: Buffer): Promise<SessionRecord | undefined> {
  return db.find(
    SessionRow,
    sql`select s.digest, s.user_id, s.pending_user_id, s.kept, s.return_to, s.flash, u.username, u.name, u.is_admin,
        s.last_seen_at < now() - interval '1 minute' as stale, s.authenticated_at, s.authenticated_by,
        coalesce(s.authenticated_at > now() - make_interval(secs => ${FRESH_PROOF_SECONDS}), false) as fresh
      from sessions s left join users u on u.id = s.user_id
      where s.digest = ${digest} and s.expires_at > now()
        and (s.user_id is null or u.state = 'active')`,
  );
}

/**
 * Inserts the row of an anonymous session, once something must be stored. One party has at most `ANONYMOUS_AT_MOST`; the oldest
 * are deleted.
 * @param from.party its origin, as returned by `partyOf`
 */
export function insertAnonymousSession(
  db: Queries,
  digest: Buffer,
  { party, userAgent }: { party: string; userAgent: string },
): Promise<number> {
  const isAnonymous = sql`user_id is null and pending_user_id is null`;
  return db.run(
    sql`with crowd as (
        delete from sessions where ${isAnonymous} and digest = any(array(
          select digest from sessions where ip = ${party} and ${isAnonymous}
          order by created_at desc offset ${ANONYMOUS_AT_MOST - 1})))
      insert into sessions (digest, ip, user_agent, expires_at)
      values (${digest}, ${party}, ${userAgent}, now() + make_interval(secs => ${ANONYMOUS_SECONDS}))
      on conflict (digest) do update set expires_at = excluded.expires_at where sessions.user_id is null`,
  );
}

export interface NewSession {
  digest: Buffer;
  /** The anonymous or half signed-in session that this one replaces. */
  replaces: Buffer | null;
  userId: number | null;
  pendingUserId: number | null;
  /** Whether the person asked to stay signed in. */
  kept: boolean;
  /**
   * The hash that the password was compared with; if it has changed since, no session is inserted. Undefined: no password was
   * checked.
   */
  passwordHash?: string | undefined;
  /**
   * Inserts the session only if it replaces one of this person, possibly a half signed-in one: whoever ended that one meant this
   * one too.
   */
  onlyInstead?: boolean | undefined;
  /** The methods of this step; those of the replaced session of the same person are kept. */
  by?: readonly Method[] | undefined;
  ip: string;
  userAgent: string;
}

/** The owner of a new session, and how it was authenticated. */
export type SessionOf = ({ userId: number } | { pendingUserId: number }) &
  Partial<Pick<NewSession, "by" | "passwordHash" | "onlyInstead" | "kept">>;

/**
 * Replaces a session by one with a new secret, which keeps only the return path (OWASP session fixation); to applications it is
 * the same session if the person is the same. Locks the person, so that ending all their sessions either includes this one or
 * comes first; then returns 0.
 */
export function replaceSession(db: Queries, session: NewSession): Promise<number> {
  const person = session.userId ?? session.pendingUserId;
  const hash = session.passwordHash ?? null;
  const before = sql`select authenticated_by from old where person = ${person}::bigint`;
  const seconds =
    session.userId === null
      ? sql`${ANONYMOUS_SECONDS}`
      : idleSeconds(sql`${session.kept}::boolean`, sql`held.is_admin`);
  return db.run(
    sql`with held as (
        select id, is_admin from users where id = ${person} and state = 'active'
          and (${hash}::text is null or password_hash = ${hash}) for share),
      old as (delete from sessions using held where digest = ${session.replaces}
        returning return_to, coalesce(user_id, pending_user_id) as person, authenticated_by,
          case when coalesce(user_id, pending_user_id, left_by) = held.id then sid end as kept_sid,
          case when ${session.userId}::bigint is null and coalesce(user_id, left_by) = held.id then held.id end as left_by)
      insert into sessions (digest, user_id, pending_user_id, return_to, ip, user_agent, authenticated_at,
        authenticated_by, expires_at, sid, left_by, kept)
      select ${session.digest}::bytea, ${session.userId}::bigint, ${session.pendingUserId}::bigint,
        (select return_to from old), ${session.ip}::text, ${session.userAgent}::text, case when ${session.userId}::bigint is null then null else now() end,
        nullif(array(select distinct unnest(coalesce((${before}), '{}') || ${session.by ?? []}::text[]) order by 1), '{}'),
        now() + make_interval(secs => ${seconds}), coalesce((select kept_sid from old), gen_random_uuid()),
        (select left_by from old), ${session.kept}::boolean
      from held where not ${session.onlyInstead ?? false}::boolean or exists (${before})`,
  );
}

/** Records a use, unless the session is locked: waiting would delay the statements behind this one (decision 0051). */
export function updateSessionSeen(db: Queries, digest: Buffer): Promise<number> {
  return db.run(
    sql`with seen as (
        select digest from sessions where digest = ${digest} and user_id is not null for no key update skip locked)
      update sessions s set last_seen_at = now(),
        expires_at = least(now() + make_interval(secs => ${idleSeconds(sql`s.kept`, sql`u.is_admin`)}), ${ENDS_AT})
      from seen, users u where s.digest = seen.digest and u.id = s.user_id`,
  );
}

export function updateSessionReturn(db: Queries, digest: Buffer, returnTo: string | null): Promise<number> {
  return db.run(sql`update sessions set return_to = ${returnTo} where digest = ${digest}`);
}

/** Removes this message: returns 1 for exactly one of several concurrent calls; a newer message stays. */
export function takeSessionFlash(db: Queries, digest: Buffer, flash: Buffer): Promise<number> {
  return db.run(sql`update sessions set flash = null where digest = ${digest} and flash = ${flash}`);
}

export function updateSessionFlash(db: Queries, digest: Buffer, flash: Buffer): Promise<number> {
  return db.run(sql`update sessions set flash = ${flash} where digest = ${digest}`);
}

export function deleteSession(db: Queries, digest: Buffer): Promise<number> {
  return db.run(sql`delete from sessions where digest = ${digest}`);
}

/** Signs the person out; the same person may resume the session by signing in within an hour. */
export function updateSessionLeft(db: Queries, digest: Buffer): Promise<number> {
  return db.run(
    sql`update sessions set left_by = user_id, user_id = null, authenticated_at = null, authenticated_by = null,
        expires_at = now() + make_interval(secs => ${ANONYMOUS_SECONDS})
      where digest = ${digest} and user_id is not null`,
  );
}

/** Ends a session that this person has left. */
export function deleteLeftSession(db: Queries, digest: Buffer, userId: number): Promise<number> {
  return db.run(sql`delete from sessions where digest = ${digest} and left_by = ${userId}`);
}

const ofPerson = (userId: number): Sql =>
  sql`(user_id = ${userId} or pending_user_id = ${userId} or left_by = ${userId})`;

/**
 * Call it in a transaction. Sets `sessions_ended_at`, so that all applications of the person are told, beyond those of the
 * sessions (decision 0154).
 */
export async function deleteSessionsOfUser(tx: Queries, userId: number): Promise<number> {
  await tx.run(sql`update users set sessions_ended_at = now() where id = ${userId}`);
  return tx.run(sql`delete from sessions where ${ofPerson(userId)}`);
}

const key = sql`left(encode(sha256(digest), 'hex'), 24)`;

/** The valid sessions of a person, the current one first, then by last use. */
export function listSessions(
  db: Queries,
  userId: number,
  current: Buffer,
  page: { limit: number; offset: number },
): Promise<OpenSession[]> {
  return db.many(
    OpenSessionRow,
    sql`select ${key} as key, ip, user_agent, created_at, last_seen_at, ${ENDS_AT} as ends_at, digest = ${current} as current
      from sessions s where user_id = ${userId} and expires_at > now()
      order by current desc, last_seen_at desc, digest limit ${page.limit} offset ${page.offset}`,
  );
}

export function countSessions(db: Queries, userId: number): Promise<number> {
  return countOf(
    db,
    sql`select count(*) as n from sessions where user_id = ${userId} and expires_at > now()`,
  );
}

/** Ends one session of this person; returns 0 if there is none with that key. */
export function deleteSessionByKey(db: Queries, userId: number, sessionKey: string): Promise<number> {
  return db.run(sql`delete from sessions where user_id = ${userId} and ${key} = ${sessionKey}`);
}

/** Ends all sessions of this person but one, including half signed-in ones; returns their number. */
export function deleteOtherSessions(db: Queries, userId: number, kept: Buffer): Promise<number> {
  return db.run(sql`delete from sessions where ${ofPerson(userId)} and digest <> ${kept}`);
}

/** Deletes a batch of expired sessions; part of the periodic sweep. */
export function deleteExpiredSessions(db: Queries, most: number): Promise<number> {
  return db.run(
    sql`delete from sessions where digest = any (array(
      select digest from sessions where expires_at < now() order by expires_at limit ${most}))`,
  );
}

/** Deletes the session of a leaked cookie and returns its owner; anonymous sessions stay. */
export function deleteLeakedSession(tx: Queries, digest: Buffer): Promise<{ userId: number } | undefined> {
  return tx.find(
    row({ userId: integer }),
    sql`delete from sessions where digest = ${digest} and user_id is not null and expires_at > now() returning user_id`,
  );
}
