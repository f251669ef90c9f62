/** Statements that tell what happened to a code, a token or a grant, for diagnoses and for people. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, nullable, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

const CodeFactsRow = row({
  applicationId: integer,
  userId: integer,
  redirectUri: text,
  hasChallenge: boolean,
  /** Seconds since each event; negative: in the future; null: never. */
  expiredFor: integer,
  spentFor: nullable(integer),
  revokedBecause: nullable(text),
});
export type CodeFacts = RowOf<typeof CodeFactsRow>;

export function findCodeFacts(db: Queries, digest: Buffer): Promise<CodeFacts | undefined> {
  return db.find(
    CodeFactsRow,
    sql`select g.application_id, g.user_id, c.redirect_uri, c.code_challenge is not null as has_challenge,
        floor(extract(epoch from now() - c.expires_at))::bigint as expired_for,
        floor(extract(epoch from now() - c.spent_at))::bigint as spent_for,
        case when g.revoked_at is null then null else coalesce(g.revoked_because, '') end as revoked_because
      from authorization_codes c join authorizations g on g.id = c.authorization_id
      where c.digest = ${digest}`,
  );
}

const TokenFactsRow = row({
  applicationId: integer,
  userId: integer,
  expiredFor: nullable(integer),
  spentFor: nullable(integer),
  /** Null: not revoked. */
  revokedBecause: nullable(text),
  userActive: boolean,
  scopes: text,
});
export type TokenFacts = RowOf<typeof TokenFactsRow>;

export function findRefreshFacts(db: Queries, digest: Buffer): Promise<TokenFacts | undefined> {
  return db.find(
    TokenFactsRow,
    sql`select g.application_id, g.user_id, floor(extract(epoch from now() - r.expires_at))::bigint as expired_for,
        floor(extract(epoch from now() - r.spent_at))::bigint as spent_for,
        case when g.revoked_at is null then null else coalesce(g.revoked_because, '') end as revoked_because,
        u.state = 'active' as user_active, array_to_string(g.scopes, ' ') as scopes
      from refresh_tokens r join authorizations g on g.id = r.authorization_id join users u on u.id = g.user_id
      where r.digest = ${digest}`,
  );
}

const AccessFactsRow = row({
  ...TokenFactsRow.columns,
  /** Whether it was ended by the refresh that issued its successor. */
  replaced: boolean,
  /** The current scopes of the application. */
  applicationScopes: text,
});
export type AccessFacts = RowOf<typeof AccessFactsRow>;

export function findAccessFacts(db: Queries, digest: Buffer): Promise<AccessFacts | undefined> {
  return db.find(
    AccessFactsRow,
    sql`select t.application_id, t.user_id, floor(extract(epoch from now() - t.expires_at))::bigint as expired_for,
        null::bigint as spent_for,
        case when t.revoked_at is null then null else coalesce(g.revoked_because, '') end as revoked_because,
        u.state = 'active' as user_active, array_to_string(t.scopes, ' ') as scopes,
        t.revoked_at is not null and g.revoked_at is null as replaced, array_to_string(a.scopes, ' ') as application_scopes
      from access_tokens t join users u on u.id = t.user_id join applications a on a.id = t.application_id
        left join authorizations g on g.id = t.authorization_id
      where t.digest = ${digest} and t.application_id is not null`,
  );
}

const DeviceFactsRow = row({
  applicationId: integer,
  userId: nullable(integer),
  expiredFor: integer,
  spentFor: nullable(integer),
});

export function findDeviceFacts(
  db: Queries,
  digest: Buffer,
): Promise<RowOf<typeof DeviceFactsRow> | undefined> {
  return db.find(
    DeviceFactsRow,
    sql`select application_id, user_id, floor(extract(epoch from now() - expires_at))::bigint as expired_for,
        floor(extract(epoch from now() - spent_at))::bigint as spent_for
      from device_authorizations where digest = ${digest}`,
  );
}

/** Whether the application knows this person already: they own it, or have authorized it before. */
export async function isAcquainted(db: Queries, applicationId: number, userId: number): Promise<boolean> {
  const { known } = await db.one(
    row({ known: boolean }),
    sql`select exists (select from applications where id = ${applicationId} and owner_id = ${userId})
        or exists (select from consents where application_id = ${applicationId} and user_id = ${userId})
        or exists (select from authorizations where application_id = ${applicationId} and user_id = ${userId}) as known`,
  );
  return known;
}

/** Returns the user and the application of an authorization. */
export function findGrant(db: Queries, authorizationId: number): Promise<{ userId: number; uid: string }> {
  return db.one(
    row({ userId: integer, uid: text }),
    sql`select g.user_id, a.uid from authorizations g join applications a on a.id = g.application_id
      where g.id = ${authorizationId}`,
  );
}

/** Returns a code that is valid now, if this person allowed it. */
export function findShownCode(
  db: Queries,
  digest: Buffer,
  userId: number,
): Promise<{ applicationName: string; secondsLeft: number } | undefined> {
  return db.find(
    row({ applicationName: text, secondsLeft: integer }),
    sql`select a.name as application_name, ceil(extract(epoch from c.expires_at - now()))::bigint as seconds_left
      from authorization_codes c join authorizations g on g.id = c.authorization_id
        join applications a on a.id = g.application_id
      where c.digest = ${digest} and g.user_id = ${userId} and c.spent_at is null and g.revoked_at is null
        and c.expires_at > now()`,
  );
}
