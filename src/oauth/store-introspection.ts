/** Statements that find whether a token of an application is active. */
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

const TokenStateRow = row({
  /** Null: a personal access token. */
  applicationId: nullable(integer),
  active: boolean,
  userId: integer,
  username: text,
  scopes: list(text),
  /** The current scopes of the application; null: a personal access token. */
  applicationScopes: nullable(list(text)),
  /** The thumbprint of the key whose possession must be proven with it; null: none. */
  boundKey: nullable(text),
  createdAt: instant,
  expiresAt: nullable(instant),
  /** How long ago the authorization of a refresh token began. */
  ageSeconds: nullable(integer),
});
export type TokenState = RowOf<typeof TokenStateRow>;

export function findAccessTokenState(db: Queries, digest: Buffer): Promise<TokenState | undefined> {
  return db.find(
    TokenStateRow,
    sql`select t.application_id, t.user_id, u.username, t.scopes, a.scopes as application_scopes, t.bound_key, t.created_at, t.expires_at,
        null::bigint as age_seconds,
        t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and u.state = 'active' as active
      from access_tokens t join users u on u.id = t.user_id left join applications a on a.id = t.application_id
      where t.digest = ${digest}`,
  );
}

/** A spent refresh token is inactive, although the same request may still be repeated (decision 0012). */
export function findRefreshTokenState(db: Queries, digest: Buffer): Promise<TokenState | undefined> {
  return db.find(
    TokenStateRow,
    sql`select g.application_id, g.user_id, u.username, g.scopes, a.scopes as application_scopes, r.bound_key, r.created_at, r.expires_at,
        floor(extract(epoch from now() - g.created_at))::bigint as age_seconds,
        r.spent_at is null and r.expires_at > now() and g.revoked_at is null and u.state = 'active' as active
      from refresh_tokens r join authorizations g on g.id = r.authorization_id join users u on u.id = g.user_id
        join applications a on a.id = g.application_id
      where r.digest = ${digest}`,
  );
}
