/** Statements about profiles and changes of mail addresses. */
import type { Queries } from "../platform/db.ts";
import { integer, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import type { About } from "./about.ts";
import { type Profile, type ProfileFields, ProfileRow } from "./profile.ts";

export function findProfile(db: Queries, userId: number): Promise<Profile | undefined> {
  return db.find(
    ProfileRow,
    sql`select u.username, u.name, u.email, u.shows_email, u.private_profile, u.time_zone, u.deletion_mails, u.about,
        c.email as new_email
      from users u left join email_changes c on c.user_id = u.id and c.expires_at > now() where u.id = ${userId}`,
  );
}

/** Changes a person's settings; undefined fields stay. A user's namespace has the user's name. */
export function updateProfile(
  db: Queries,
  userId: number,
  { name = null, privateProfile = null, showsEmail = null, timeZone = null }: Nullable<ProfileFields>,
): Promise<number> {
  return db.run(
    sql`with place as (update namespaces set name = ${name}, updated_at = now()
        where owner_id = ${userId} and ${name}::text is not null)
      update users set name = coalesce(${name}, name), private_profile = coalesce(${privateProfile}::boolean, private_profile),
        shows_email = coalesce(${showsEmail}::boolean, shows_email), time_zone = coalesce(${timeZone}, time_zone),
        updated_at = now() where id = ${userId}`,
  );
}

/** Returns 0 if nothing changes. */
export function updateDeletionMails(db: Queries, userId: number, areWanted: boolean): Promise<number> {
  return db.run(
    sql`update users set deletion_mails = ${areWanted}, updated_at = now()
      where id = ${userId} and deletion_mails <> ${areWanted}::boolean`,
  );
}

/** Changes the optional fields; empty ones are removed, absent ones stay. */
export function updateAbout(db: Queries, userId: number, change: About): Promise<number> {
  const said = Object.entries(change).map(([field, words]) => [field, words === "" ? null : words]);
  return db.run(
    sql`update users set updated_at = now(),
        about = nullif(jsonb_strip_nulls(coalesce(about, '{}') || ${json(Object.fromEntries(said))}::jsonb), '{}')
      where id = ${userId}`,
  );
}

/** Sets the administrators' note about a person; empty removes it. */
export function updateNote(db: Queries, userId: number, note: string): Promise<number> {
  return db.run(sql`update users set note = nullif(${note}, ''), updated_at = now() where id = ${userId}`);
}

type Nullable<T> = { [K in keyof T]?: T[K] | undefined | null };

/** Replaces the pending change; returns 0 if that one is younger than `pauseSeconds`, for whichever address. */
export function upsertEmailChange(
  db: Queries,
  change: { digest: Buffer; userId: number; email: string },
  { seconds, pauseSeconds }: { seconds: number; pauseSeconds: number },
): Promise<number> {
  return db.run(
    sql`insert into email_changes as c (digest, user_id, email, expires_at)
      values (${change.digest}, ${change.userId}, ${change.email}, now() + make_interval(secs => ${seconds}))
      on conflict (user_id) do update set digest = excluded.digest, email = excluded.email, created_at = now(),
        expires_at = excluded.expires_at
      where c.created_at < now() - make_interval(secs => ${pauseSeconds})`,
  );
}

const EmailChangeRow = row({ userId: integer, username: text, email: text });
const liveChange = sql`c.expires_at > now() and u.id = c.user_id and u.state = 'active'`;

/** Finds a pending change that may still be confirmed; that of a blocked person may not. */
export function findEmailChange(db: Queries, digest: Buffer) {
  return db.find(
    EmailChangeRow,
    sql`select c.user_id, u.username, c.email from email_changes c, users u where c.digest = ${digest} and ${liveChange}`,
  );
}

/** Deletes the change and returns it; of concurrent calls one gets it. */
export function spendEmailChange(db: Queries, digest: Buffer) {
  return db.find(
    EmailChangeRow,
    sql`delete from email_changes c using users u where c.digest = ${digest} and ${liveChange}
      returning c.user_id, u.username, c.email`,
  );
}

/**
 * Sets the address and returns the old one; undefined if the person no longer exists.
 * @param isConfirmed the address was proven
 */
export async function updateEmail(
  db: Queries,
  userId: number,
  email: string,
  isConfirmed: boolean,
): Promise<string | undefined> {
  const found = await db.find(
    row({ was: text }),
    sql`with old as (select email from users where id = ${userId} for update),
        links as (delete from password_links where user_id = ${userId}),
        changes as (delete from email_changes where user_id = ${userId})
      update users set email = ${email}, confirmed_at = case when ${isConfirmed}::boolean then now() end, updated_at = now() from old
      where id = ${userId} returning old.email as was`,
  );
  return found?.was;
}

export function deleteExpiredEmailChanges(db: Queries): Promise<number> {
  return db.run(sql`delete from email_changes where expires_at < now()`);
}
