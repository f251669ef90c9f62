/** Statements that list and change users. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { integer, row, text } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { userColumns, usersWithNames } from "./store.ts";
import { deleteOtherSessions, deleteSessionsOfUser } from "./store-sessions.ts";
import { type User, type UserOrder, UserRow } from "./user.ts";

/** Finds a user by id (all digits) or username in any case; a user named "42" is only found by id (reference events A10). */
export function findUserByReference(db: Queries, reference: string): Promise<User | undefined> {
  if (reference.includes("\0") || reference.length > 255) return Promise.resolve(undefined);
  const which = /^\d+$/.test(reference)
    ? sql`u.id = ${Number.isSafeInteger(Number(reference)) ? Number(reference) : -1}`
    : sql`lower(u.username) = lower(${reference})`;
  return db.find(UserRow, sql`select ${userColumns} from ${usersWithNames} where ${which}`);
}

export interface UserFilter {
  /** Exactly this username, in any case. */
  username?: string | undefined;
  /** Part of a name or username, or a whole mail address, with `byEmail` also one that is not public. */
  search?: string | undefined;
  byEmail: boolean;
  /** The whole public mail address. */
  publicEmail?: string | undefined;
  state?: User["state"] | undefined;
  /** Administrators only. */
  admins?: boolean;
  /** True: people only; false: only placeholders of outside people, applications and the service itself. */
  people?: boolean | undefined;
  notService?: boolean | undefined;
  /** Matches no user. */
  nobody?: boolean;
  /** Only users that this person without administrator rights may find: no others who are blocked or have a private profile. */
  foundBy?: number | undefined;
  /** Puts a user whose username equals the searched words first. */
  exactFirst?: boolean;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  twoFactor?: boolean | undefined;
  withoutProjects?: boolean | undefined;
  /** Undefined: by id. */
  orderBy?: UserOrder | undefined;
  /** Undefined: descending. */
  ascending?: boolean | undefined;
}

const conditions = (filter: UserFilter): Sql => {
  const { username, search, byEmail, publicEmail, state, people, createdAfter, createdBefore } = filter;
  return joinSql(
    [
      people === undefined ? sql`true` : sql`u.is_placeholder <> ${people}::boolean`,
      filter.admins && sql`u.is_admin`,
      filter.nobody && sql`false`,
      filter.notService && sql`u.bot is distinct from 'service'`,
      filter.foundBy !== undefined &&
        sql`(u.id = ${filter.foundBy} or u.state = 'active' and not u.private_profile)`,
      username !== undefined && sql`lower(u.username) = lower(${username})`,
      publicEmail !== undefined && sql`u.shows_email and lower(u.email) = lower(${publicEmail})`,
      state !== undefined && sql`u.state = ${state}`,
      createdAfter && sql`u.created_at > ${createdAfter}`,
      createdBefore && sql`u.created_at < ${createdBefore}`,
      filter.twoFactor !== undefined &&
        sql`(u.totp_confirmed_at is not null or u.passkeys > 0) = ${filter.twoFactor}::boolean`,
      filter.withoutProjects && sql`not exists (select from project_roles r where r.user_id = u.id)`,
      ...(search === undefined
        ? []
        : [
            sql`(strpos(lower(u.username || ' ' || u.name), lower(${search})) > 0
              or ((${byEmail} or u.shows_email) and lower(u.email) = lower(${search})))`,
          ]),
    ],
    " and ",
  );
};

const ORDERS: Readonly<Record<UserOrder, Sql>> = {
  id: sql`u.id`,
  name: sql`lower(u.name)`,
  username: sql`lower(u.username)`,
  created_at: sql`u.created_at`,
  updated_at: sql`u.updated_at`,
};

export function listUsers(
  db: Queries,
  filter: UserFilter,
  page: { limit: number; offset: number },
): Promise<User[]> {
  const way = filter.ascending ? sql`asc` : sql`desc`;
  const first = filter.exactFirst ? sql`lower(u.username) = lower(${filter.search ?? ""}) desc,` : sql``;
  return db.many(
    UserRow,
    sql`select ${userColumns} from ${usersWithNames} where ${conditions(filter)}
      order by ${first} ${ORDERS[filter.orderBy ?? "id"]} ${way}, u.id ${way} limit ${page.limit} offset ${page.offset}`,
  );
}

export function countUsers(db: Queries, filter: UserFilter): Promise<number> {
  return countOf(db, sql`select count(*) as n from users u where ${conditions(filter)}`);
}

const administrators = sql`administrators as (
  select id from users where is_admin and state = 'active' and password_hash is not null order by id for no key update)`;
const leavesOne = (id: number): Sql => sql`exists (select 1 from administrators a where a.id <> ${id})`;

/**
 * Blocks or unblocks a user. Blocking ends every session, including those that began while it waited for the lock.
 * @returns 0: no such user, or no administrator would be left, also with concurrent calls
 */
export async function updateState(tx: Queries, id: number, state: User["state"]): Promise<number> {
  const changed = await tx.run(
    sql`with ${administrators}
      update users set state = ${state}, updated_at = now()
      where id = ${id} and (${state} <> 'blocked' or not is_admin or ${leavesOne(id)})`,
  );
  if (changed > 0 && state === "blocked") await deleteSessionsOfUser(tx, id);
  return changed;
}

/**
 * Sets a new password. Ends every session but `kept`, and deletes what would give access without it: the pending links for a new
 * password and for another mail address, and the secret of an app that was not confirmed yet, since whoever knew the old password
 * may have made it.
 * @param own for a person who gave the old password: returns 0 if it is not the one of the hash `compared` any more
 */
export async function updatePassword(
  tx: Queries,
  id: number,
  passwordHash: string,
  own?: { compared: string; kept: Buffer },
): Promise<number> {
  const changed = await tx.run(
    sql`update users set password_hash = ${passwordHash}, updated_at = now(),
        totp_sealed = case when totp_confirmed_at is not null then totp_sealed end
      where id = ${id} and (${own === undefined} or password_hash = ${own?.compared ?? null})`,
  );
  if (changed === 0) return 0;
  // The person is locked now: earlier sessions are visible, and later ones need the new password.
  await tx.run(
    sql`with links as (delete from password_links where user_id = ${id})
      delete from email_changes where user_id = ${id}`,
  );
  await (own ? deleteOtherSessions(tx, id, own.kept) : deleteSessionsOfUser(tx, id));
  return changed;
}

/** Revokes all valid personal tokens of a user, who must be locked so that none is rotated meanwhile; returns their number. */
export function revokePersonalTokensOfUser(db: Queries, userId: number): Promise<number> {
  return db.run(
    sql`update access_tokens set revoked_at = now()
      where user_id = ${userId} and kind = 'personal' and revoked_at is null`,
  );
}

export interface NewPasswordLink {
  digest: Buffer;
  userId: number;
  /** The administrator to whom it is shown, with whose role it ends; null: made from the console, or only mailed to the person. */
  createdBy: number | null;
}

/** Inserts the link of a person, which replaces the previous one. */
export function insertPasswordLink(db: Queries, link: NewPasswordLink, seconds: number): Promise<number> {
  return db.run(
    sql`insert into password_links (digest, user_id, created_by, expires_at)
      values (${link.digest}, ${link.userId}, ${link.createdBy}, now() + make_interval(secs => ${seconds}))
      on conflict (user_id) do update set digest = excluded.digest, created_by = excluded.created_by,
        created_at = now(), expires_at = excluded.expires_at`,
  );
}

/**
 * The same, unless the person got a link within `pauseSeconds`, which is shorter than the lifetime of any link; then returns 0.
 */
export function insertFreshPasswordLink(
  db: Queries,
  link: NewPasswordLink,
  { seconds, pauseSeconds }: { seconds: number; pauseSeconds: number },
): Promise<number> {
  return db.run(
    sql`insert into password_links as l (digest, user_id, created_by, expires_at)
      values (${link.digest}, ${link.userId}, ${link.createdBy}, now() + make_interval(secs => ${seconds}))
      on conflict (user_id) do update set digest = excluded.digest, created_by = excluded.created_by,
        created_at = now(), expires_at = excluded.expires_at
      where l.created_at < now() - make_interval(secs => ${pauseSeconds})`,
  );
}

const ResettableRow = row({ id: integer, username: text, email: text });
const resettable = (email: string): Sql => sql`select id, username, email from users
  where lower(email) = lower(${email}) and state = 'active' and not is_placeholder and password_hash is not null`;

/** Finds the person who may set a new password by a link to this mail address. */
export function findResettable(db: Queries, email: string) {
  return db.find(ResettableRow, resettable(email));
}

/** The same, locked until the commit: a concurrent change of the password or address then deletes the new link. */
export function lockResettable(tx: Queries, email: string) {
  return tx.find(ResettableRow, sql`${resettable(email)} for share`);
}

const liveLink = sql`expires_at > now()
  and user_id in (select id from users where state = 'active' and not is_placeholder)
  and (created_by is null or created_by in (select id from users where state = 'active' and is_admin))`;

/** Whether the link is valid: not that of a blocked person, nor of a maker who is no administrator now (decision 0148). */
export async function passwordLinkLives(db: Queries, digest: Buffer): Promise<boolean> {
  const shape = row({ userId: integer });
  const found = await db.find(
    shape,
    sql`select user_id from password_links where digest = ${digest} and ${liveLink}`,
  );
  return found !== undefined;
}

/** Locks the owner of a link and the administrator who made it, so that neither is blocked, nor the role withdrawn, meanwhile. */
export function lockPeopleOfLink(tx: Queries, digest: Buffer): Promise<number> {
  return tx.run(
    sql`select 1 as held from users
      where id in (select unnest(array[user_id, created_by]) from password_links where digest = ${digest})
      order by id for no key update`,
  );
}

/** Deletes a valid link and returns its owner; of concurrent calls one gets it. */
export function spendPasswordLink(db: Queries, digest: Buffer) {
  return db.find(
    row({ userId: integer }),
    sql`delete from password_links where digest = ${digest} and ${liveLink} returning user_id`,
  );
}

/** Deletes expired links. */
export function deleteExpiredPasswordLinks(db: Queries): Promise<number> {
  return db.run(sql`delete from password_links where expires_at < now()`);
}

/** Changes the role and ends the sessions; returns 0 if no other administrator would be left, also with concurrent calls. */
export function updateAdministrator(db: Queries, id: number, isAdmin: boolean): Promise<number> {
  return db.run(
    sql`with ${administrators},
      changed as (
        update users set is_admin = ${isAdmin}, updated_at = now(), sessions_ended_at = now()
        where id = ${id} and (${isAdmin} or ${leavesOne(id)})
        returning id),
      ended as (delete from sessions using changed
        where sessions.user_id = changed.id or sessions.pending_user_id = changed.id
          or sessions.left_by = changed.id)
      select id from changed`,
  );
}
