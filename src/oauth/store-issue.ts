/**
 * Statements that each spend a grant and issue its tokens at once, so that exactly one of several concurrent requests succeeds.
 */
import type { Queries } from "../platform/db.ts";
import { instant, integer, row } from "../platform/row.ts";
import { sharedStatement } from "../platform/shared-statement.ts";
import { type Sql, sql } from "../platform/sql.ts";
import type { Lifetimes } from "./lifetimes.ts";

/** No row: nothing was spent and nothing issued. */
const IssuedRow = row({
  place: integer,
  createdAt: instant,
  /** Seconds until the refresh token expires, if there is one. */
  refreshExpiresIn: integer,
});

/** Two columns with keys for the `unnest` of requests; each list is hidden from the planner, as in `keysInOrder`. */
function keysOfAll(all: readonly { accessKey: string | null; refreshKey: string | null }[]): Sql {
  const [access, refresh] = [all.map(({ accessKey }) => accessKey), all.map(({ refreshKey }) => refreshKey)];
  return sql`(select ${access}::text[]), (select ${refresh}::text[])`;
}

/** Three columns with lifetimes. */
function lifetimesOfAll(all: readonly { lifetimes: Lifetimes }[]): Sql {
  const [access, idle, absolute] = [
    all.map(({ lifetimes }) => lifetimes.accessTokenSeconds),
    all.map(({ lifetimes }) => lifetimes.refreshIdleSeconds),
    all.map(({ lifetimes }) => lifetimes.refreshAbsoluteSeconds),
  ];
  return sql`(select ${access}::integer[]), (select ${idle}::integer[]), (select ${absolute}::integer[])`;
}

// The following statements lock the application, then the authorization, then the spent row: the order in which deletion and
// revocation lock them, so that there is no deadlock. A statement that had to wait sees what was committed meanwhile.

export interface Redemption {
  code: Buffer;
  accessDigest: Buffer;
  /** Null: the application gets no refresh token. */
  refreshDigest: Buffer | null;
  /** The thumbprints of the keys to which the tokens are bound; null: none. */
  accessKey: string | null;
  refreshKey: string | null;
  lifetimes: Lifetimes;
}

/**
 * Spends a code and issues its tokens: exactly one of several concurrent requests succeeds, the others get no row. The
 * authorization is locked until the commit, so that a concurrent revocation finds the new tokens.
 */
export const redeemCode = sharedStatement(
  (db: Queries, all: readonly Redemption[]) =>
    db.many(
      IssuedRow,
      sql`with held as (
          select k.place, k.access_digest, k.refresh_digest, k.access_key, k.refresh_key,
            k.access_seconds, k.idle_seconds, k.absolute_seconds, g.scopes, c.digest as code,
            g.id as authorization_id, g.application_id, g.user_id, g.created_at, null::bigint as predecessor_id
          from unnest((select ${all.map(({ code }) => code)}::bytea[]),
              (select ${all.map(({ accessDigest }) => accessDigest)}::bytea[]),
              (select ${all.map(({ refreshDigest }) => refreshDigest)}::bytea[]), ${keysOfAll(all)}, ${lifetimesOfAll(all)})
              with ordinality as k (code, access_digest, refresh_digest, access_key, refresh_key,
                access_seconds, idle_seconds, absolute_seconds, place)
            join authorization_codes c on c.digest = k.code join authorizations g on g.id = c.authorization_id
            join applications a on a.id = g.application_id
          where c.spent_at is null and c.expires_at > now() and g.revoked_at is null
          for key share of a for share of g for update of c),
        spent as (update authorization_codes c set spent_at = now() from held where c.digest = held.code),
        ${issued}
        ${returned}`,
    ),
  { spends: ({ code }) => code.toString("latin1"), oneByOne: true },
);

export interface Rotation {
  /** The id of the refresh token to be spent. */
  id: number;
  accessDigest: Buffer;
  refreshDigest: Buffer;
  /** The scopes of the new access token. */
  scopes: readonly string[];
  /** The scopes in the request; null: the whole grant. */
  asked: readonly string[] | null;
  /** The thumbprints of the keys to which the successors are bound; null: none. */
  accessKey: string | null;
  refreshKey: string | null;
  lifetimes: Lifetimes;
}

/**
 * Spends a refresh token, ends the previous access token and issues the successors: exactly one of several concurrent requests
 * succeeds.
 */
export const rotateRefreshToken = sharedStatement(
  (db: Queries, all: readonly Rotation[]) =>
    db.many(
      IssuedRow,
      sql`with held as (
          select k.place, k.access_digest, k.refresh_digest, k.access_key, k.refresh_key,
            k.access_seconds, k.idle_seconds, k.absolute_seconds,
            string_to_array(k.scopes, ' ') as scopes,
            string_to_array(k.asked, ' ') as asked, r.id as predecessor_id,
            g.id as authorization_id, g.application_id, g.user_id, g.created_at
          from unnest((select ${all.map(({ id }) => id)}::bigint[]),
              (select ${all.map(({ accessDigest }) => accessDigest)}::bytea[]),
              (select ${all.map(({ refreshDigest }) => refreshDigest)}::bytea[]),
              (select ${all.map(({ scopes }) => scopes.join(" "))}::text[]),
              (select ${all.map(({ asked }) => asked?.join(" ") ?? null)}::text[]), ${keysOfAll(all)}, ${lifetimesOfAll(all)})
              with ordinality as k (id, access_digest, refresh_digest, scopes, asked, access_key, refresh_key,
                access_seconds, idle_seconds, absolute_seconds, place)
            join refresh_tokens r on r.id = k.id join authorizations g on g.id = r.authorization_id
            join applications a on a.id = g.application_id
          where r.spent_at is null and r.expires_at > now() and g.revoked_at is null
          for key share of a for no key update of g for update of r),
        spent as (
          update refresh_tokens r set spent_at = now(), spent_scopes = held.asked from held
          where r.id = held.predecessor_id),
        ended as (
          update access_tokens t set revoked_at = now() from held
          where t.authorization_id = held.authorization_id and t.revoked_at is null),
        ${issued}
        ${returned}`,
    ),
  { spends: ({ id }) => String(id), oneByOne: true },
);

export interface PasswordGrant {
  applicationId: number;
  scopes: readonly string[];
  accessDigest: Buffer;
  /** The thumbprint of the key to which it is bound; null: none. */
  accessKey: string | null;
  accessSeconds: number;
}

/**
 * The part of `settleAttempt` for accepted passwords: creates an authorization with one access token each, unless the application
 * was deleted.
 */
export function passwordGrants(all: readonly PasswordGrant[]): Sql {
  return sql`wanted as (
      select accepted.place, accepted.user_id, a.id as application_id, string_to_array(k.scopes, ' ') as scopes,
        k.access_digest, k.access_key, k.access_seconds, nextval('authorizations_id_seq') as authorization_id
      from accepted join unnest((select ${all.map(({ applicationId }) => applicationId)}::bigint[]),
          (select ${all.map(({ scopes }) => scopes.join(" "))}::text[]),
          (select ${all.map(({ accessDigest }) => accessDigest)}::bytea[]),
          (select ${all.map(({ accessKey }) => accessKey)}::text[]),
          (select ${all.map(({ accessSeconds }) => accessSeconds)}::integer[]))
          with ordinality as k (application_id, scopes, access_digest, access_key, access_seconds, place) using (place)
        join applications a on a.id = k.application_id
      for key share of a),
    made as (
      insert into authorizations (id, application_id, user_id, flow, scopes) overriding system value
      select authorization_id, application_id, user_id, 'password', scopes from wanted),
    held as (select wanted.* from wanted),
    ${accessTokens},
    granted as (select place, now()::timestamptz(3) as created_at from wanted)`;
}

/** Inserts the access tokens for the rows of `held`. */
const accessTokens = sql`access_token as (
    insert into access_tokens (digest, kind, user_id, scopes, application_id, authorization_id, bound_key, expires_at)
    select held.access_digest, 'oauth', held.user_id, held.scopes, held.application_id, held.authorization_id,
      held.access_key, now() + make_interval(secs => held.access_seconds)
    from held)`;

/** The expiry of the refresh tokens for the rows of `held`. */
const refreshEnd = sql`least(now() + make_interval(secs => held.idle_seconds),
  held.created_at + make_interval(secs => held.absolute_seconds))`;

/** Inserts access and refresh tokens; the latter expire without use, and never outlive the authorization's absolute limit. */
const issued = sql`${accessTokens},
  refresh_token as (
    insert into refresh_tokens (digest, authorization_id, predecessor_id, bound_key, expires_at)
    select held.refresh_digest, held.authorization_id, held.predecessor_id, held.refresh_key, ${refreshEnd}
    from held where held.refresh_digest is not null)`;

/** Returns a row for each row of `held`. */
const returned = sql`select place, now()::timestamptz(3) as created_at,
  greatest(0, ceil(extract(epoch from ${refreshEnd} - now())))::bigint as refresh_expires_in from held`;
