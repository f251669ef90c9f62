/** Statements that give the events of one person to another, and remove accounts. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, list, nullable, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

/** From whom to whom records are moved; `forgets`: the commits of pushes are deleted. */
export interface Move {
  from: number;
  to: number;
  forgets: boolean;
}

/** Moves some of a person's events; returns how many. */
export async function moveSomeEvents(
  db: Queries,
  { from, to, forgets }: Move,
  most: number,
): Promise<number> {
  const moved = await db.one(
    row({ n: integer }),
    sql`select move_some_events(${from}, ${to}, ${most}::integer, ${forgets}) as n`,
  );
  return moved.n;
}

/** Moves what belongs to a person in some targets after this one; returns the last target examined, null at the end. */
export async function moveSomeTargets(db: Queries, { from, to }: Move, after: number, most: number) {
  const looked = await db.one(
    row({ last: nullable(integer) }),
    sql`select move_some_targets(${from}, ${to}, ${after}, ${most}::integer) as last`,
  );
  return looked.last;
}

/** Moves the remaining events with all their counts; the totals are locked until the commit. */
export async function moveAuthor(db: Queries, { from, to, forgets }: Move): Promise<void> {
  await db.run(sql`select move_author(${from}, ${to}, ${forgets})`);
}

/** Moves some of the other records of a person; returns how many. 0: only a few are left, or some are locked. */
export async function moveSomeDeeds(db: Queries, { from, to }: Move, most: number): Promise<number> {
  const moved = await db.one(
    row({ n: integer }),
    sql`select move_some_deeds(${from}, ${to}, ${most}::integer) as n`,
  );
  return moved.n;
}

/** Moves the rest of them. */
export async function moveDeeds(db: Queries, from: number, to: number): Promise<void> {
  await db.run(sql`select move_deeds(${from}, ${to})`);
}

/** Locks the administrators and the groups of a person, so that the obstacles to a removal cannot change unnoticed. */
export async function lockRemovalObstacles(tx: Queries, userId: number): Promise<void> {
  await tx.run(sql`select id from users where is_admin or id = ${userId} order by id for update`);
  await tx.run(
    sql`select id from namespaces where id in (
        select namespace_id from members where user_id = ${userId} and access_level = 50)
      order by id for update`,
  );
}

/**
 * The obstacles to the removal of an account, with groups as for owners who leave (decision 0165); undefined: it is removed
 * already.
 */
export function findRemovalObstacles(db: Queries, userId: number) {
  return db.find(
    row({ isAdmin: boolean, otherAdmins: integer, projects: list(text), groups: list(text) }),
    sql`select u.is_admin,
        (select count(*) from users o where o.is_admin and o.state = 'active' and o.password_hash is not null and o.id <> u.id)
          as other_admins,
        array(select p.full_path from projects p join namespaces n on n.id = p.namespace_id
          where n.owner_id = u.id order by p.id limit 20) as projects,
        array(select n.full_path from members m join namespaces n on n.id = m.namespace_id
          where m.user_id = u.id and m.access_level = 50 and not exists (select from members o
            join users other on other.id = o.user_id and other.state = 'active' and not other.is_placeholder
            where o.namespace_id = any (n.lineage) and o.access_level = 50 and o.user_id <> u.id
              and o.expires_at is null) order by n.id limit 20) as groups
      from users u where u.id = ${userId} and not u.is_placeholder`,
  );
}

/** Deletes the account with its keys, sessions, memberships and settings, and what is stored by its name or address. */
export function deleteAccount(db: Queries, userId: number): Promise<number> {
  return db.run(
    sql`with failures as (
        delete from sign_in_failures f using users u
        where u.id = ${userId} and f.login in (counted_login(u.username), counted_login(u.email))
      ), invited as (
        delete from invitations i using users u where u.id = ${userId} and lower(i.email) = lower(u.email)
      ), links as (
        delete from password_links where created_by = ${userId}
      ), mails as (
        delete from outbox_deliveries d using users u
        where u.id = ${userId} and d.channel = 'mail' and lower(d.target) = lower(u.email)
      )
      delete from users where id = ${userId}`,
  );
}
