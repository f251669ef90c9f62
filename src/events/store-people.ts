/** Statements about the people that events name. */
import type { About } from "../accounts/about.ts";
import { BOTS } from "../accounts/user.ts";
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, jsonb, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

const PersonRow = row({ id: integer, privateProfile: boolean });
export type Person = RowOf<typeof PersonRow>;

/** By id (all digits) or by username in any case; a user called `42` is only found by id. */
export async function findPerson(db: Queries, reference: string): Promise<Person | undefined> {
  if (/^\d+$/.test(reference)) {
    const id = Number(reference);
    if (!Number.isSafeInteger(id)) return undefined;
    return db.find(PersonRow, sql`select id, private_profile from users where id = ${id}`);
  }
  return findPersonByName(db, reference);
}

/** By username, in any case. */
export async function findPersonByName(db: Queries, username: string): Promise<Person | undefined> {
  if (username.includes("\0") || username.length > 255) return undefined;
  return db.find(
    PersonRow,
    sql`select id, private_profile from users where lower(username) = lower(${username})`,
  );
}

/** People with one of the ids or one of the usernames, which are in lower case. */
export function listPeople(db: Queries, ids: readonly number[], names: readonly string[]) {
  return db.many(
    row({ id: integer, name: text }),
    sql`select id, lower(username) as name from users
      where id = any (${ids}::bigint[]) or lower(username) = any (${names}::text[])`,
  );
}

const ProfileRow = row({
  id: integer,
  username: text,
  name: text,
  isPlaceholder: boolean,
  /** The kind of account, if it is no person's. */
  bot: nullable(oneOf(BOTS)),
  /** A placeholder for a person of a forge, whom a user may claim to be. */
  isOutsider: boolean,
  isBlocked: boolean,
  privateProfile: boolean,
  createdAt: instant,
  /** A name of the time zone database, by which the days of the person's calendar are counted. */
  timeZone: text,
  about: jsonb<About | null>(),
  now: instant,
});
export type Profile = RowOf<typeof ProfileRow>;

/** A person as their page shows them, and the present time. */
export async function findProfile(db: Queries, username: string): Promise<Profile | undefined> {
  if (username.includes("\0") || username.length > 255) return undefined;
  return db.find(
    ProfileRow,
    sql`select id, username, name, is_placeholder, bot, exists (select from event_outsiders o where o.user_id = users.id) as is_outsider,
        state = 'blocked' as is_blocked, private_profile, created_at, time_zone, about, now() as now
      from users where lower(username) = lower(${username})`,
  );
}
