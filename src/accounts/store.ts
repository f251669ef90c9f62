/** Statements about users, their names and their tokens. */
import type { Queries } from "../platform/db.ts";
import { bytes, integer, nullable, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type PersonalToken, PersonalTokenRow, type PresentedToken, PresentedTokenRow } from "./token.ts";
import { type User, UserRow } from "./user.ts";

const userColumns = sql`u.id, u.username, u.name, u.email, u.state, u.is_admin, u.is_placeholder, u.private_profile,
  u.confirmed_at, u.last_sign_in_at, u.current_sign_in_at, u.last_activity_on,
  u.totp_confirmed_at is not null as two_factor, n.id as namespace_id, u.created_at`;
const usersWithNames = sql`users u join namespaces n on n.owner_id = u.id`;

const Credentials = row({ ...UserRow.columns, passwordHash: nullable(text) });
const Id = row({ id: integer });

export function findUser(db: Queries, id: number): Promise<User | undefined> {
  return db.find(UserRow, sql`select ${userColumns} from ${usersWithNames} where u.id = ${id}`);
}

/** By username, in any case. */
export function findUserByName(db: Queries, username: string): Promise<User | undefined> {
  return db.find(
    UserRow,
    sql`select ${userColumns} from ${usersWithNames} where lower(u.username) = lower(${username})`,
  );
}

/** By username or mail address, with the password hash. */
export function findCredentials(db: Queries, login: string) {
  return db.find(
    Credentials,
    sql`select ${userColumns}, u.password_hash from ${usersWithNames}
      where not u.is_placeholder and (lower(u.username) = lower(${login}) or lower(u.email) = lower(${login}))
      order by lower(u.username) = lower(${login}) desc limit 1`,
  );
}

export interface NewUser {
  username: string;
  name: string;
  email: string;
  passwordHash: string | null;
  isAdmin: boolean;
  isPlaceholder: boolean;
  privateProfile: boolean;
}

/** Inserts a user and the namespace of the same name in one statement; returns the user's id. */
export async function insertUser(db: Queries, user: NewUser): Promise<number> {
  const { id } = await db.one(
    Id,
    sql`with person as (
        insert into users (username, name, email, password_hash, is_admin, is_placeholder, private_profile)
        values (${user.username}, ${user.name}, ${user.email}, ${user.passwordHash}, ${user.isAdmin},
          ${user.isPlaceholder}, ${user.privateProfile})
        returning id, username, name)
      insert into namespaces (kind, owner_id, path, full_path, name, visibility)
      select 'user', id, username, username, name, 'public' from person
      returning owner_id as id`,
  );
  return id;
}

export async function countAdministrators(db: Queries): Promise<number> {
  return (await db.one(row({ n: integer }), sql`select count(*) as n from users where is_admin`)).n;
}

export function updateUserState(db: Queries, id: number, state: User["state"]): Promise<number> {
  return db.run(sql`update users set state = ${state}, updated_at = now() where id = ${id}`);
}

export function updateSignIn(db: Queries, id: number): Promise<number> {
  return db.run(
    sql`update users set last_sign_in_at = current_sign_in_at, current_sign_in_at = now(),
      last_activity_on = current_date where id = ${id}`,
  );
}

/** One joined read by digest: the token, whether it still counts, and the user it acts for. */
export function findPresentedToken(db: Queries, digest: Buffer): Promise<PresentedToken | undefined> {
  return db.find(
    PresentedTokenRow,
    sql`select ${userColumns}, t.id as token_id, t.kind as token_kind, t.scopes, t.application_id, t.authorization_id,
        t.created_at as token_created_at,
        case when t.expires_at is null then null
          else greatest(0, ceil(extract(epoch from t.expires_at - now())))::bigint end as expires_in,
        coalesce(t.expires_at <= now(), false) as expired, t.revoked_at is not null as revoked,
        coalesce(t.last_used_at < now() - interval '10 minutes', true) as stale_use
      from access_tokens t join users u on u.id = t.user_id join namespaces n on n.owner_id = u.id
      where t.digest = ${digest}`,
  );
}

/** Notes the use of a token, at most once in ten minutes. */
export function updateTokenUse(db: Queries, tokenId: number): Promise<number> {
  return db.run(
    sql`update access_tokens set last_used_at = now()
      where id = ${tokenId} and (last_used_at is null or last_used_at < now() - interval '10 minutes')`,
  );
}

export interface NewToken {
  digest: Buffer;
  kind: "personal" | "oauth";
  userId: number;
  scopes: readonly string[];
  name?: string;
  applicationId?: number | null;
  authorizationId?: number | null;
  /** Null: does not expire. */
  lifetimeSeconds?: number | null;
  /** A calendar day at whose beginning (UTC) it ends; for personal tokens. */
  expiresOn?: string | null;
}

export async function insertToken(db: Queries, token: NewToken): Promise<{ id: number }> {
  return db.one(
    Id,
    sql`insert into access_tokens (digest, kind, user_id, scopes, name, application_id, authorization_id, expires_at)
      values (${token.digest}, ${token.kind}, ${token.userId}, ${token.scopes}, ${token.name ?? ""},
        ${token.applicationId ?? null}, ${token.authorizationId ?? null},
        coalesce(now() + make_interval(secs => ${token.lifetimeSeconds ?? null}::double precision),
          ${token.expiresOn ?? null}::date::timestamptz))
      returning id`,
  );
}

/** Ends every token of an authorization (code replay, refresh reuse, consent withdrawn). */
export function revokeTokensOfAuthorization(db: Queries, authorizationId: number): Promise<number> {
  return db.run(
    sql`update access_tokens set revoked_at = now() where authorization_id = ${authorizationId} and revoked_at is null`,
  );
}

export const personalTokenColumns = sql`t.id, t.user_id, t.name, t.scopes, t.created_at, t.expires_at, t.revoked_at,
  t.last_used_at, t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) as active`;

export function listPersonalTokens(db: Queries, userId: number): Promise<PersonalToken[]> {
  return db.many(
    PersonalTokenRow,
    sql`select ${personalTokenColumns} from access_tokens t
      where t.user_id = ${userId} and t.kind = 'personal' order by t.id`,
  );
}

export const RecoveryDigest = row({ digest: bytes });
