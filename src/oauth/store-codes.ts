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

/** Stores the digest of a code; its lifetime starts now, by the database's clock. */
export function insertCode(db: Queries, code: NewCode): Promise<number> {
  return db.run(
    sql`insert into authorization_codes (digest, authorization_id, redirect_uri, code_challenge, bound_key, nonce, expires_at)
      values (${code.digest}, ${code.authorizationId}, ${code.redirectUri}, ${code.codeChallenge},
        ${code.boundKey}, ${code.nonce}, now() + make_interval(secs => ${code.lifetimeSeconds}))`,
  );
}

/** Inserts the first refresh token of a new authorization; the absolute limit is applied to its successors. */
export function insertRefreshToken(
  db: Queries,
  token: { digest: Buffer; authorizationId: number; boundKey: string | null; lifetimeSeconds: number },
): Promise<number> {
  return db.run(
    sql`insert into refresh_tokens (digest, authorization_id, bound_key, expires_at)
      values (${token.digest}, ${token.authorizationId}, ${token.boundKey}, now() + make_interval(secs => ${token.lifetimeSeconds}))`,
  );
}

/** For revocation: returns the authorization and the application of a refresh token. */
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
 * Returns the successor of a spent refresh token, together with the access token that was issued with it. The access token ends
 * with the authorization, by the use of the successor, or by its own expiry.
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

/** For revocation: returns the token whether or not it is valid, since expired tokens can be revoked too. */
export function findDelegatedToken(
  db: Queries,
  digest: Buffer,
): Promise<{ authorizationId: number | null; applicationId: number | null } | undefined> {
  return db.find(
    row({ authorizationId: nullable(integer), applicationId: nullable(integer) }),
    sql`select authorization_id, application_id from access_tokens where digest = ${digest}`,
  );
}

/** Deletes some of the codes that expired 30 days ago; until then a replay is recognised. Returns the same as `removeExpired`. */
export function deleteOldCodes(db: Queries): Promise<number[]> {
  return removeExpired(db, sql`authorization_codes`, sql`digest`);
}

/** The same for refresh tokens; spent ones are kept as long, so that their reuse is recognised. */
export function deleteOldRefreshTokens(db: Queries): Promise<number[]> {
  return removeExpired(db, sql`refresh_tokens`, sql`id`);
}

/** Deletes a portion of the expired rows; returns their authorizations, which may be without any token now. */
async function removeExpired(db: Queries, table: Sql, key: Sql): Promise<number[]> {
  const gone = await db.many(
    row({ authorizationId: integer }),
    sql`delete from ${table} where ${key} in (
        select ${key} from ${table} where expires_at < now() - interval '30 days' order by expires_at limit 5000)
      returning authorization_id`,
  );
  return gone.map(({ authorizationId }) => authorizationId);
}
