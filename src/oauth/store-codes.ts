/** Statements about authorization codes, refresh tokens and what a token says of itself. */
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Code, CodeRow } from "./code.ts";
import { REFRESH_ABSOLUTE_SECONDS, REFRESH_GRACE_SECONDS, REFRESH_IDLE_SECONDS } from "./lifetimes.ts";
import { type RefreshToken, RefreshTokenRow } from "./refresh-token.ts";

export interface NewCode {
  digest: Buffer;
  authorizationId: number;
  redirectUri: string;
  codeChallenge: string | null;
  nonce: string | null;
  lifetimeSeconds: number;
}

export function insertCode(db: Queries, code: NewCode): Promise<number> {
  return db.run(
    sql`insert into authorization_codes (digest, authorization_id, redirect_uri, code_challenge, nonce, expires_at)
      values (${code.digest}, ${code.authorizationId}, ${code.redirectUri}, ${code.codeChallenge}, ${code.nonce},
        now() + make_interval(secs => ${code.lifetimeSeconds}))`,
  );
}

export function findCode(db: Queries, digest: Buffer): Promise<Code | undefined> {
  return db.find(
    CodeRow,
    sql`select c.digest, c.authorization_id, g.application_id, g.user_id, u.state = 'active' as user_active, g.scopes,
        c.redirect_uri, c.code_challenge, c.nonce, g.authenticated_at, c.expires_at <= now() as expired, c.spent_at is not null as spent,
        g.revoked_at is not null as revoked
      from authorization_codes c join authorizations g on g.id = c.authorization_id join users u on u.id = g.user_id
      where c.digest = ${digest}`,
  );
}

const Spent = row({ spentAt: instant });

/**
 * Spends a code: of several at once exactly one gets the instant, the others nothing. The authorization is held
 * until the commit, so that a revocation meanwhile finds the tokens that follow.
 */
export function spendCode(db: Queries, digest: Buffer): Promise<RowOf<typeof Spent> | undefined> {
  return db.find(
    Spent,
    sql`with held as (
        select g.id from authorizations g join authorization_codes c on c.authorization_id = g.id
        where c.digest = ${digest} and g.revoked_at is null for share of g)
      update authorization_codes c set spent_at = now() from held
      where c.digest = ${digest} and c.authorization_id = held.id and c.spent_at is null and c.expires_at > now()
      returning c.spent_at`,
  );
}

/** Inserts a refresh token; it is idle-limited, and never outlives the authorization's absolute limit. */
export function insertRefreshToken(
  db: Queries,
  token: { digest: Buffer; authorizationId: number; predecessorId?: number },
): Promise<number> {
  return db.run(
    sql`insert into refresh_tokens (digest, authorization_id, predecessor_id, expires_at)
      select ${token.digest}::bytea, g.id, ${token.predecessorId ?? null}::bigint,
        least(now() + make_interval(secs => ${REFRESH_IDLE_SECONDS}),
          g.created_at + make_interval(secs => ${REFRESH_ABSOLUTE_SECONDS}))
      from authorizations g where g.id = ${token.authorizationId}`,
  );
}

/** Finds a refresh token and holds it and its authorization until the commit: one rotation at a time. */
export function lockRefreshToken(db: Queries, digest: Buffer): Promise<RefreshToken | undefined> {
  return db.find(
    RefreshTokenRow,
    sql`select r.id, r.authorization_id, g.application_id, g.user_id, u.state = 'active' as user_active, g.scopes,
        r.expires_at <= now() as expired, g.revoked_at is not null as revoked, r.spent_at is not null as spent,
        coalesce(r.spent_at > now() - make_interval(secs => ${REFRESH_GRACE_SECONDS}), false) as just_spent,
        r.spent_scopes, g.authenticated_at, now()::timestamptz(3) as now
      from refresh_tokens r join authorizations g on g.id = r.authorization_id join users u on u.id = g.user_id
      where r.digest = ${digest} for update of g, r`,
  );
}

/** Without a lock, for revocation: which authorization of which application a refresh token belongs to. */
export function findRefreshToken(
  db: Queries,
  digest: Buffer,
): Promise<{ authorizationId: number; applicationId: number } | undefined> {
  return db.find(
    row({ authorizationId: integer, applicationId: integer }),
    sql`select r.authorization_id, g.application_id
      from refresh_tokens r join authorizations g on g.id = r.authorization_id where r.digest = ${digest}`,
  );
}

export function spendRefreshToken(
  db: Queries,
  id: number,
  scopes: readonly string[] | null,
): Promise<number> {
  return db.run(sql`update refresh_tokens set spent_at = now(), spent_scopes = ${scopes} where id = ${id}`);
}

const SuccessorRow = row({
  spent: boolean,
  accessTokenLives: boolean,
  accessTokenScopes: list(text),
  accessTokenCreatedAt: instant,
  accessTokenExpiresIn: integer,
});

/** The successor of a spent refresh token, beside the access token that was issued with it. */
export function findSuccessor(
  db: Queries,
  predecessorId: number,
  accessTokenDigest: Buffer,
): Promise<RowOf<typeof SuccessorRow> | undefined> {
  return db.find(
    SuccessorRow,
    sql`select r.spent_at is not null as spent, t.revoked_at is null and t.expires_at > now() as access_token_lives,
        t.scopes as access_token_scopes, t.created_at as access_token_created_at,
        greatest(0, ceil(extract(epoch from t.expires_at - now())))::bigint as access_token_expires_in
      from refresh_tokens r, access_tokens t
      where r.predecessor_id = ${predecessorId} and t.digest = ${accessTokenDigest}`,
  );
}

const TokenInfoRow = row({
  userId: integer,
  scopes: list(text),
  createdAt: instant,
  expiresIn: nullable(integer),
  applicationUid: nullable(text),
});
export type TokenInfo = RowOf<typeof TokenInfoRow>;

/** What a token that counts says of itself; undefined for any that does not. */
export function findTokenInfo(db: Queries, digest: Buffer): Promise<TokenInfo | undefined> {
  return db.find(
    TokenInfoRow,
    sql`select t.user_id, t.scopes, t.created_at, a.uid as application_uid,
        case when t.expires_at is null then null
          else greatest(0, ceil(extract(epoch from t.expires_at - now())))::bigint end as expires_in
      from access_tokens t join users u on u.id = t.user_id left join applications a on a.id = t.application_id
      where t.digest = ${digest} and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
        and u.state = 'active'`,
  );
}

/** Without judging whether it counts, for revocation: expired tokens stay revocable. */
export function findDelegatedToken(
  db: Queries,
  digest: Buffer,
): Promise<{ authorizationId: number | null; applicationId: number | null } | undefined> {
  return db.find(
    row({ authorizationId: nullable(integer), applicationId: nullable(integer) }),
    sql`select authorization_id, application_id from access_tokens where digest = ${digest}`,
  );
}

/** Codes are kept 30 days, so that a replay is still recognised. */
export function deleteOldCodes(db: Queries): Promise<number> {
  return db.run(sql`delete from authorization_codes where expires_at < now() - interval '30 days'`);
}

/** Removes refresh tokens 30 days after they expired; spent ones stay as long, so that their reuse is recognised. */
export function deleteOldRefreshTokens(db: Queries): Promise<number> {
  return db.run(sql`delete from refresh_tokens where expires_at < now() - interval '30 days'`);
}
