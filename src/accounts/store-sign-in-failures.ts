/** Statements about sign-in failures, and the waits that follow from them. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";

const Wait = row({ seconds: integer });

/** The normalised login under which failures are counted (migration 0088). */
export const countedLogin = (login: Sql) => sql`counted_login(${login})`;

/** Number of failures within ten minutes that cause no wait. */
const FREE_TRIES = 5;

/** How many more failures a login may have from a network before it must wait. */
export function triesLeft(login: Sql, network: Sql): Sql {
  return sql`(select greatest(0, ${FREE_TRIES} - count(*))::bigint from sign_in_failures
    where login = ${countedLogin(login)} and network = ${network} and failed_at > now() - interval '10 minutes')`;
}

/**
 * How long a login must wait from a network, in seconds; 0: none. After the free tries each further failure doubles the wait, up
 * to five minutes; other networks are not affected, so that a stranger cannot lock a person out (reference reliability E, S63).
 */
export function signInWait(login: Sql, network: Sql, among = sql`true`): Sql {
  // Stored instants are rounded to milliseconds, so the newest may be up to half a millisecond ahead.
  return sql`(select coalesce(greatest(0, ceil(extract(epoch from max(failed_at) - now())
        + case when count(*) < ${FREE_TRIES} then 0
          else least(300, power(2, least(count(*), 30) - ${FREE_TRIES}::integer)) end - 0.001)), 0)::bigint
    from sign_in_failures
    where login = ${countedLogin(login)} and network = ${network} and ${among}
      and failed_at > now() - interval '10 minutes')`;
}

/** How long a whole network must wait after 100 failures in ten minutes, in seconds; 0: none. */
export function networkWait(network: Sql): Sql {
  return sql`coalesce((select greatest(1, ceil(extract(epoch from failed_at + interval '10 minutes' - now())))::bigint
    from sign_in_failures where network = ${network} and failed_at > now() - interval '10 minutes'
    order by failed_at desc offset 99 limit 1), 0)`;
}

/** Returns how long this login must wait from this network, in seconds, counting only the failures with a lower id. */
export async function findWaitBefore(
  db: Queries,
  login: string,
  network: string,
  id: number,
): Promise<number> {
  const wait = signInWait(sql`${login}`, sql`${network}`, sql`id < ${id}`);
  return (await db.one(Wait, sql`select ${wait} as seconds`)).seconds;
}

/** Returns how long this network must wait, in seconds. */
export async function findNetworkWait(db: Queries, network: string): Promise<number> {
  return (await db.one(Wait, sql`select ${networkWait(sql`${network}`)} as seconds`)).seconds;
}

/**
 * Records a failed attempt and returns its id. Attempts of one login are serialised by a lock, so each sees all those with a
 * lower id, over all connections.
 */
export async function insertSignInFailure(db: Queries, login: string, network: string): Promise<number> {
  const attempt = sql`with held as materialized (
        select pg_advisory_xact_lock(hashtextextended('gatehouse tries of ' || lower(left(${login}, 255)), 0)))
      insert into sign_in_failures (login, network) select ${countedLogin(sql`${login}`)}, ${network}::text from held
      returning id`;
  return (await db.one(row({ id: integer }), attempt)).id;
}

export function deleteSignInFailure(db: Queries, id: number): Promise<number> {
  return db.run(sql`delete from sign_in_failures where id = ${id}`);
}

export function deleteSignInFailures(db: Queries, login: string, network: string): Promise<number> {
  return db.run(
    sql`delete from sign_in_failures where login = ${countedLogin(sql`${login}`)} and network = ${network}`,
  );
}

/** Deletes failures of a time that has not come: they would keep people out until then. */
export function deleteFailuresAhead(db: Queries): Promise<number> {
  return db.run(sql`delete from sign_in_failures where failed_at > now() + interval '1 minute'`);
}

/** Deletes a batch of failures that no throttle counts any more; ids are in order of time. */
export function deleteOldSignInFailures(db: Queries, most: number): Promise<number> {
  return db.run(
    sql`delete from sign_in_failures where failed_at < now() - interval '1 day' and id = any (array(
      select id from sign_in_failures order by id limit ${most}))`,
  );
}
