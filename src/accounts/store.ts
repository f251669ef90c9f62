/** Statements about users, their names and their tokens. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { lockName } from "../platform/lock-name.ts";
import { integer, nullable, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type User, UserRow } from "./user.ts";

/** The columns of a `UserRow`, from `usersWithNames`. */
export const userColumns = sql`u.id, u.username, u.name, u.email, u.state, u.is_admin, u.is_placeholder, u.bot, u.private_profile,
  u.confirmed_at, u.last_sign_in_at, u.current_sign_in_at, u.last_activity_on,
  (u.totp_confirmed_at is not null or u.passkeys > 0) as two_factor, case when u.shows_email then u.email else '' end as public_email,
  u.about, u.note, n.id as namespace_id, u.created_at`;
export const usersWithNames = sql`users u join namespaces n on n.owner_id = u.id`;

const Credentials = row({ ...UserRow.columns, passwordHash: nullable(text) });
const Id = row({ id: integer });

/** Finds users in every state, also blocked people and placeholders. */
export function findUser(db: Queries, id: number): Promise<User | undefined> {
  return db.find(UserRow, sql`select ${userColumns} from ${usersWithNames} where u.id = ${id}`);
}

/** Blocks other creations of the same user until the transaction ends. */
export function lockUsername(tx: Queries, username: string): Promise<number> {
  return lockName(tx, `username ${username.toLowerCase()}`);
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
  bot?: User["bot"];
  privateProfile: boolean;
  /** False: nobody has confirmed that the mail address is theirs. */
  isConfirmed?: boolean | undefined;
}

/** Inserts a user and their namespace in one statement; returns the user's id. */
export async function insertUser(db: Queries, user: NewUser): Promise<number> {
  const { id } = await db.one(
    Id,
    sql`with person as (
        insert into users (username, name, email, password_hash, is_admin, is_placeholder, bot, private_profile,
          confirmed_at)
        values (${user.username}, ${user.name}, ${user.email}, ${user.passwordHash}, ${user.isAdmin},
          ${user.isPlaceholder}, ${user.bot ?? null}, ${user.privateProfile},
          case when ${user.isConfirmed ?? true}::boolean then now() end)
        returning id, username, name)
      insert into namespaces (kind, owner_id, path, full_path, name, visibility)
      select 'user', id, username, username, name, 'public' from person
      returning owner_id as id`,
  );
  return id;
}

export function countAdministrators(db: Queries): Promise<number> {
  return countOf(db, sql`select count(*) as n from users where is_admin`);
}

/** Records a sign-in: the current one becomes the last one. */
export function updateSignIn(db: Queries, id: number): Promise<number> {
  return db.run(
    sql`update users set last_sign_in_at = current_sign_in_at, current_sign_in_at = now(),
      last_activity_on = current_date where id = ${id}`,
  );
}

/**
 * Records the use of a token, at most once in ten minutes, and the user's last day of activity; for a personal token also the
 * network address (decision 0193). Skips locked rows, which a later use will update: waiting would delay the statements behind
 * this one (decision 0051).
 */
export function updateTokenUse(db: Queries, tokenId: number, ip: string): Promise<number> {
  return db.run(
    sql`with token as (
        select id from access_tokens
        where id = ${tokenId} and (last_used_at is null or last_used_at < now() - interval '10 minutes')
        for no key update skip locked),
      used as (
        update access_tokens t set last_used_at = now(),
          last_used_ip = case when t.kind = 'personal' then ${ip}::text end
        from token where t.id = token.id returning t.user_id),
      person as (
        select u.id from users u join used on used.user_id = u.id
        where u.last_activity_on is distinct from current_date for no key update of u skip locked)
      update users u set last_activity_on = current_date from person where u.id = person.id`,
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
  /** The thumbprint of the key that it is bound to. */
  boundKey?: string | null;
  /** Null: does not expire. */
  lifetimeSeconds?: number | null;
}

/** Inserts a token by its digest; without `lifetimeSeconds` it never expires. */
export async function insertToken(db: Queries, token: NewToken): Promise<{ id: number }> {
  return db.one(
    Id,
    sql`insert into access_tokens (digest, kind, user_id, scopes, name, application_id, authorization_id, bound_key,
        expires_at)
      values (${token.digest}, ${token.kind}, ${token.userId}, ${token.scopes}, ${token.name ?? ""},
        ${token.applicationId ?? null}, ${token.authorizationId ?? null}, ${token.boundKey ?? null},
        now() + make_interval(secs => ${token.lifetimeSeconds ?? null}::double precision))
      returning id`,
  );
}

/** Lists the digests, in hexadecimal, of all personal access tokens of this name. */
export function listPersonalDigests(db: Queries, name: string) {
  return db.many(
    row({ digest: text }),
    sql`select encode(digest, 'hex') as digest from access_tokens where kind = 'personal' and name = ${name}`,
  );
}

/** Revokes all tokens of these authorizations (code replay, refresh, consent withdrawn). */
export function revokeTokensOfAuthorizations(
  db: Queries,
  authorizationIds: readonly number[],
): Promise<number> {
  return db.run(
    sql`update access_tokens set revoked_at = now()
      where authorization_id = any(${authorizationIds}::bigint[]) and revoked_at is null`,
  );
}

/**
 * Deletes a batch of delegated tokens that ended 30 days ago; personal ones stay in their owner's list. Delegated tokens live at
 * most a day, so their ids are nearly in the order of their ends, and no index on those is needed.
 * @returns the authorization of each; while the list is not empty there may be more
 */
export async function deleteDeadTokens(db: Queries): Promise<number[]> {
  const gone = await db.many(
    row({ authorizationId: integer }),
    sql`delete from access_tokens where id in (
        select id from (
          select id, expires_at, revoked_at from access_tokens where kind = 'oauth' order by id limit 5000) oldest
        where least(expires_at, revoked_at) < now() - interval '30 days')
      returning coalesce(authorization_id, 0) as authorization_id`,
  );
  return gone.map(({ authorizationId }) => authorizationId);
}
