/** Statements about presented tokens and personal access tokens. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, type RowOf, row, text } from "../platform/row.ts";
import { keysInOrder, sharedStatement } from "../platform/shared-statement.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { userColumns } from "./store.ts";
import { type PersonalToken, PersonalTokenRow, PresentedTokenRow, type TokenOrder } from "./token.ts";

const PresentedRow = row({ ...PresentedTokenRow.columns, place: integer });

/**
 * Finds a token by digest in one join: whether it is valid, the user it acts for, and the current scopes of its application.
 * Concurrent requests share a statement.
 */
export const findPresentedToken = sharedStatement((db: Queries, digests: readonly Buffer[]) =>
  db.many(
    PresentedRow,
    sql`select k.place, ${userColumns}, t.id as token_id, t.kind as token_kind, t.scopes, t.application_id,
        a.scopes as application_scopes, t.authorization_id, t.bound_key, t.created_at as token_created_at,
        case when t.expires_at is null then null
          else greatest(0, ceil(extract(epoch from t.expires_at - now())))::bigint end as expires_in,
        coalesce(t.expires_at <= now(), false) as expired, t.revoked_at is not null as revoked,
        coalesce(t.last_used_at < now() - interval '10 minutes', true) as stale_use
      from ${keysInOrder(digests, "bytea")} join access_tokens t on t.digest = k.key
        join users u on u.id = t.user_id join namespaces n on n.owner_id = u.id
        left join applications a on a.id = t.application_id`,
  ),
);

const live = sql`(t.revoked_at is null and (t.expires_at is null or t.expires_at > now()))`;
const columns = sql`t.id, t.user_id, t.name, t.description, t.scopes, t.created_at, t.expires_at, t.revoked_at,
  t.last_used_at, t.last_used_ip, ${live} as active`;

export interface NewPersonalToken {
  digest: Buffer;
  userId: number;
  name: string;
  description: string;
  scopes: readonly string[];
  /** The calendar day (UTC) at whose beginning it expires; null: never. */
  expiresOn: string | null;
}

/** Inserts a token; returns no row if its day is not in the future. */
export function insertPersonalToken(
  db: Queries,
  token: NewPersonalToken,
): Promise<PersonalToken | undefined> {
  return db.find(
    PersonalTokenRow,
    sql`with t as (
        insert into access_tokens (digest, kind, user_id, scopes, name, description, expires_at)
        select ${token.digest}, 'personal', ${token.userId}, ${token.scopes}, ${token.name}, ${token.description},
          ${token.expiresOn}::date::timestamp at time zone 'UTC'
        where coalesce(${token.expiresOn}::date::timestamp at time zone 'UTC' > now(), true)
        returning *)
      select ${columns} from t`,
  );
}

/** Whether a day begins (UTC) in the future. */
export async function isDayToCome(db: Queries, day: string): Promise<boolean> {
  const { toCome } = await db.one(
    row({ toCome: boolean }),
    sql`select ${day}::date::timestamp at time zone 'UTC' > now() as to_come`,
  );
  return toCome;
}

export function findPersonalToken(db: Queries, id: number): Promise<PersonalToken | undefined> {
  return db.find(
    PersonalTokenRow,
    sql`select ${columns} from access_tokens t where t.id = ${id} and t.kind = 'personal'`,
  );
}

export interface TokenFilter {
  /** Undefined: of all users. */
  userId?: number | undefined;
  active?: boolean | undefined;
  revoked?: boolean | undefined;
  search?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  lastUsedAfter?: Date | undefined;
  lastUsedBefore?: Date | undefined;
  expiresAfter?: string | undefined;
  expiresBefore?: string | undefined;
}

/** The bounds are those of GitLab: inclusive, except for the day before which a token expires. */
function conditions(filter: TokenFilter): Sql {
  const { userId, active, revoked, search } = filter;
  const all = [sql`t.kind = 'personal'`];
  if (userId !== undefined) all.push(sql`t.user_id = ${userId}`);
  if (active !== undefined) all.push(sql`${live} = ${active}`);
  if (revoked !== undefined) all.push(sql`(t.revoked_at is not null) = ${revoked}`);
  if (search !== undefined) all.push(sql`strpos(lower(t.name), lower(${search})) > 0`);
  if (filter.createdAfter) all.push(sql`t.created_at >= ${filter.createdAfter}`);
  if (filter.createdBefore) all.push(sql`t.created_at <= ${filter.createdBefore}`);
  if (filter.lastUsedAfter) all.push(sql`t.last_used_at >= ${filter.lastUsedAfter}`);
  if (filter.lastUsedBefore) all.push(sql`t.last_used_at <= ${filter.lastUsedBefore}`);
  if (filter.expiresAfter) all.push(sql`t.expires_at >= ${filter.expiresAfter}::timestamptz`);
  if (filter.expiresBefore) all.push(sql`t.expires_at < ${filter.expiresBefore}::timestamptz`);
  return joinSql(all, " and ");
}

/** What is missing counts as later than every time, as in GitLab: a token that never expires, and one that was never used. */
const orders: Readonly<Record<TokenOrder, Sql>> = {
  created_desc: sql`t.id desc`,
  created_asc: sql`t.id`,
  expires_asc: sql`t.expires_at asc nulls last, t.id`,
  expires_desc: sql`t.expires_at desc nulls first, t.id desc`,
  last_used_asc: sql`t.last_used_at asc nulls last, t.id`,
  last_used_desc: sql`t.last_used_at desc nulls first, t.id desc`,
  name_asc: sql`lower(t.name), t.id`,
  name_desc: sql`lower(t.name) desc, t.id desc`,
};

export function listPersonalTokens(
  db: Queries,
  filter: TokenFilter,
  page: { limit: number; offset: number; order: TokenOrder },
): Promise<PersonalToken[]> {
  return db.many(
    PersonalTokenRow,
    sql`select ${columns} from access_tokens t where ${conditions(filter)}
      order by ${orders[page.order]} limit ${page.limit} offset ${page.offset}`,
  );
}

export function countPersonalTokens(db: Queries, filter: TokenFilter): Promise<number> {
  return countOf(db, sql`select count(*) as n from access_tokens t where ${conditions(filter)}`);
}

const NETWORK_KEPT_DAYS = 90;

/** Deletes a batch of last-use addresses of tokens that were last used long ago (decision 0193); part of the periodic sweep. */
export function forgetTokenNetworks(db: Queries, most: number): Promise<number> {
  return db.run(
    sql`update access_tokens set last_used_ip = null where id = any (array(
      select id from access_tokens
      where kind = 'personal' and last_used_ip is not null
        and last_used_at < now() - make_interval(days => ${NETWORK_KEPT_DAYS})
      order by id limit ${most} for no key update skip locked))`,
  );
}

const EndingTokenRow = row({
  id: integer,
  name: text,
  expiresAt: instant,
  isOver: boolean,
  username: text,
  email: text,
});
export type EndingToken = RowOf<typeof EndingTokenRow>;

/**
 * Selects a batch of tokens whose owners must be notified of their end, and marks them as notified (decision 0193): those that
 * expire within a week, unless their whole lifetime is no longer, and those that expired within the last day.
 */
export function takeEndingTokens(tx: Queries, most: number): Promise<EndingToken[]> {
  const isOver = sql`t.expires_at <= now()`;
  const endsSoon = sql`(t.expires_at between now() and now() + interval '7 days'
    and t.expires_at - t.created_at > interval '7 days' and t.end_told_at is null)`;
  const hasEnded = sql`(t.expires_at between now() - interval '1 day' and now()
    and coalesce(t.end_told_at < t.expires_at, true))`;
  return tx.many(
    EndingTokenRow,
    sql`with due as (
        select t.id, u.username, u.email from access_tokens t join users u on u.id = t.user_id and u.state = 'active'
        where t.kind = 'personal' and t.revoked_at is null and (${endsSoon} or ${hasEnded})
        order by t.id limit ${most} for no key update of t skip locked)
      update access_tokens t set end_told_at = now() from due where t.id = due.id
      returning t.id, t.name, t.expires_at, ${isOver} as is_over, due.username, due.email`,
  );
}

/** Revokes a personal token, which is refused from the commit on. */
export function revokePersonalToken(db: Queries, id: number): Promise<number> {
  return db.run(
    sql`update access_tokens set revoked_at = now() where id = ${id} and kind = 'personal' and revoked_at is null`,
  );
}

/** Locks the person of the token with this digest, so that what was begun with it is waited for (`holdActor`). */
export function lockPersonOfToken(tx: Queries, digest: Buffer): Promise<number> {
  return tx.run(
    sql`select 1 as held from users where id = (select user_id from access_tokens where digest = ${digest})
      for no key update`,
  );
}

/** Revokes the valid personal access token with this digest; undefined if there is none. */
export function revokeLeakedToken(
  tx: Queries,
  digest: Buffer,
): Promise<{ userId: number; id: number; name: string } | undefined> {
  return tx.find(
    row({ userId: integer, id: integer, name: text }),
    sql`update access_tokens t set revoked_at = now() where t.digest = ${digest} and t.kind = 'personal' and ${live}
      returning t.user_id, t.id, t.name`,
  );
}

/**
 * Locks the person and the first token of a family until the commit: this serialises rotations with revocations of the family or
 * of all the person's tokens, so that no successor is missed, and with what is done by the tokens (`holdActor`).
 */
export function lockTokenFamily(tx: Queries, id: number): Promise<number> {
  return tx.run(
    sql`with asked as (
        select user_id, coalesce(family_id, id) as first_id from access_tokens where id = ${id} and kind = 'personal'),
      person as materialized (select from users where id = (select user_id from asked) for no key update)
      select 1 as held from person cross join access_tokens t
      where t.id = (select first_id from asked) for no key update of t`,
  );
}

/**
 * Revokes a valid token and inserts its successor, in one statement; returns no row if the token was not valid any more or the
 * new day is not in the future. Without a day, the successor of a token with an end expires in a week.
 */
export function replacePersonalToken(
  db: Queries,
  id: number,
  next: { digest: Buffer; expiresOn: string | null },
): Promise<PersonalToken | undefined> {
  return db.find(
    PersonalTokenRow,
    sql`with old as (
        update access_tokens set revoked_at = now()
        where id = ${id} and kind = 'personal' and revoked_at is null and (expires_at is null or expires_at > now())
          and coalesce(${next.expiresOn}::date::timestamp at time zone 'UTC' > now(), true)
        returning *),
      t as (
        insert into access_tokens (digest, kind, user_id, scopes, name, description, family_id, expires_at)
        select ${next.digest}, 'personal', user_id, scopes, name, description, coalesce(family_id, id),
          coalesce(${next.expiresOn}::date::timestamp at time zone 'UTC',
            case when expires_at is not null
              then date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' + interval '7 days' end)
        from old
        returning *)
      select ${columns} from t`,
  );
}

/** Revokes all valid tokens of this token's family, if it ended `slipSeconds` ago or longer. */
export function revokeTokenFamily(db: Queries, id: number, slipSeconds: number): Promise<number> {
  return db.run(
    sql`update access_tokens set revoked_at = now()
      where kind = 'personal' and revoked_at is null and family_id = (
        select coalesce(family_id, id) from access_tokens
        where id = ${id} and kind = 'personal' and revoked_at <= now() - make_interval(secs => ${slipSeconds}))`,
  );
}
