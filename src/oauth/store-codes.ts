/** Statements about authorization codes and refresh tokens. */
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";

export interface NewCode {
  digest: Buffer;
  authorizationId: number;
  redirectUri: string;
  codeChallenge: string | null;
  boundKey: string | null;
  nonce: string | null;
  lifetimeSeconds: number;
}

/** Keeps the digest of a code; its life is counted from now, by the database's clock. */
export function insertCode(db: Queries, code: NewCode): Promise<number> {
  return db.run(
    sql`insert into authorization_codes (digest, authorization_id, redirect_uri, code_challenge, bound_key, nonce, expires_at)
      values (${code.digest}, ${code.authorizationId}, ${code.redirectUri}, ${code.codeChallenge},
        ${code.boundKey}, ${code.nonce}, now() + make_interval(secs => ${code.lifetimeSeconds}))`,
  );
}

/** Inserts the first refresh token of an authorization that begins now; its successors know the absolute limit. */
export function insertRefreshToken(
  db: Queries,
  token: { digest: Buffer; authorizationId: number; boundKey: string | null; lifetimeSeconds: number },
): Promise<number> {
  return db.run(
    sql`insert into refresh_tokens (digest, authorization_id, bound_key, expires_at)
      values (${token.digest}, ${token.authorizationId}, ${token.boundKey}, now() + make_interval(secs => ${token.lifetimeSeconds}))`,
  );
}

/** For revocation: which authorization of which application a refresh token belongs to. */
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

const SuccessorRow = row({
  spent: boolean,
  accessTokenScopes: list(text),
  accessTokenBoundKey: nullable(text),
  accessTokenCreatedAt: instant,
  accessTokenExpiresIn: integer,
  refreshTokenExpiresIn: integer,
});

/**
 * The successor of a spent refresh token, beside the access token that was issued with it: this one ends with the authorization, by
 * the use of that one, or minutes later by itself.
 */
export function findSuccessor(
  db: Queries,
  predecessorId: number,
  accessTokenDigest: Buffer,
): Promise<RowOf<typeof SuccessorRow> | undefined> {
  return db.find(
    SuccessorRow,
    sql`select r.spent_at is not null as spent, t.scopes as access_token_scopes, t.bound_key as access_token_bound_key, t.created_at as access_token_created_at,
        greatest(0, ceil(extract(epoch from t.expires_at - now())))::bigint as access_token_expires_in,
        greatest(0, ceil(extract(epoch from r.expires_at - now())))::bigint as refresh_token_expires_in
      from refresh_tokens r, access_tokens t
      where r.predecessor_id = ${predecessorId} and t.digest = ${accessTokenDigest}`,
  );
}

/** The token, whether or not it is valid, for revocation: expired tokens can be revoked too. */
export function findDelegatedToken(
  db: Queries,
  digest: Buffer,
): Promise<{ authorizationId: number | null; applicationId: number | null } | undefined> {
  return db.find(
    row({ authorizationId: nullable(integer), applicationId: nullable(integer) }),
    sql`select authorization_id, application_id from access_tokens where digest = ${digest}`,
  );
}

/** Removes some of the codes that expired 30 days ago; until then a replay is recognised. Told as `removeExpired` says. */
export function deleteOldCodes(db: Queries): Promise<number[]> {
  return removeExpired(db, sql`authorization_codes`, sql`digest`);
}

/** The same of refresh tokens; spent ones stay as long, so that their reuse is recognised. */
export function deleteOldRefreshTokens(db: Queries): Promise<number[]> {
  return removeExpired(db, sql`refresh_tokens`, sql`id`);
}

/** A portion of those that are over; returns whose authorizations they were, which may be without a token now. */
async function removeExpired(db: Queries, table: Sql, key: Sql): Promise<number[]> {
  const gone = await db.many(
    row({ authorizationId: integer }),
    sql`delete from ${table} where ${key} in (
        select ${key} from ${table} where expires_at < now() - interval '30 days' order by expires_at limit 5000)
      returning authorization_id`,
  );
  return gone.map(({ authorizationId }) => authorizationId);
}
