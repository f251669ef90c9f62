/** Statements about presented credentials, each of which looks up everything that is presented at the same time. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import { keysInOrder, sharedStatement } from "../platform/shared-statement.ts";
import { sql } from "../platform/sql.ts";
import { ApplicationWithSecretsRow } from "./application.ts";
import { CodeRow } from "./code.ts";
import { REFRESH_GRACE_SECONDS } from "./lifetimes.ts";
import { RefreshTokenRow } from "./refresh-token.ts";
import { applicationColumns, applicationsWithOwners } from "./store.ts";

const place = integer;

const PresentedApplicationRow = row({ ...ApplicationWithSecretsRow.columns, place });

/** For client authentication: returns applications by their ids, with the digests of their valid secrets. */
export const findApplicationWithSecrets = sharedStatement((db: Queries, uids: readonly string[]) =>
  db.many(
    PresentedApplicationRow,
    sql`select k.place, ${applicationColumns}, array(
          select s.digest from application_secrets s
          where s.application_id = a.id and (s.expires_at is null or s.expires_at > now())) as secret_digests
      from ${keysInOrder(uids, "text")} join (${applicationsWithOwners}) on a.uid = k.key`,
  ),
);

const PresentedCodeRow = row({ ...CodeRow.columns, place });

/** Returns an authorization code by its digest. */
export const findCode = sharedStatement((db: Queries, digests: readonly Buffer[]) =>
  db.many(
    PresentedCodeRow,
    sql`select k.place, c.digest, c.authorization_id, g.application_id, g.user_id, u.state = 'active' as user_active,
        g.scopes, c.redirect_uri, c.code_challenge, c.bound_key, c.nonce, g.authenticated_at, g.authenticated_by,
        g.session_sid::text as session_sid, c.expires_at <= now() as expired,
        c.spent_at is not null as spent, g.revoked_at is not null as revoked
      from ${keysInOrder(digests, "bytea")} join authorization_codes c on c.digest = k.key
        join authorizations g on g.id = c.authorization_id join users u on u.id = g.user_id`,
  ),
);

const PresentedRefreshTokenRow = row({ ...RefreshTokenRow.columns, place });

/** Returns a refresh token by its digest. */
export const findPresentedRefreshToken = sharedStatement((db: Queries, digests: readonly Buffer[]) =>
  db.many(
    PresentedRefreshTokenRow,
    sql`select k.place, r.id, r.authorization_id, g.application_id, g.user_id, u.state = 'active' as user_active,
        g.scopes, floor(extract(epoch from now() - g.created_at))::bigint as age_seconds,
        r.expires_at <= now() as expired, g.revoked_at is not null as revoked,
        r.spent_at is not null as spent,
        coalesce(r.spent_at > now() - make_interval(secs => ${REFRESH_GRACE_SECONDS}), false) as just_spent,
        r.spent_scopes, r.bound_key, g.authenticated_at, g.authenticated_by, g.session_sid::text as session_sid
      from ${keysInOrder(digests, "bytea")} join refresh_tokens r on r.digest = k.key
        join authorizations g on g.id = r.authorization_id join users u on u.id = g.user_id`,
  ),
);

const TokenInfoRow = row({
  place,
  userId: integer,
  scopes: list(text),
  /** The current scopes of the application; null: a personal access token. */
  applicationScopes: nullable(list(text)),
  createdAt: instant,
  expiresIn: nullable(integer),
  applicationUid: nullable(text),
  /** The thumbprint of the key whose possession must be proven with it; null: none. */
  boundKey: nullable(text),
});
export type TokenInfo = RowOf<typeof TokenInfoRow>;

/** Returns the information about a valid token; undefined for any other. */
export const findTokenInfo = sharedStatement((db: Queries, digests: readonly Buffer[]) =>
  db.many(
    TokenInfoRow,
    sql`select k.place, t.user_id, t.scopes, a.scopes as application_scopes, t.created_at, a.uid as application_uid, t.bound_key,
        case when t.expires_at is null then null
          else greatest(0, ceil(extract(epoch from t.expires_at - now())))::bigint end as expires_in
      from ${keysInOrder(digests, "bytea")} join access_tokens t on t.digest = k.key
        join users u on u.id = t.user_id left join applications a on a.id = t.application_id
      where t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and u.state = 'active'`,
  ),
);
