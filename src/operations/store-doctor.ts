/** Statements with which the doctor checks the database. */
import { randomBytes } from "node:crypto";
import type { Db } from "../platform/db.ts";
import { boolean, integer, row, text } from "../platform/row.ts";
import { Sql, sql } from "../platform/sql.ts";

/** The server, its clock in milliseconds of Unix time, and whether a commit waits until it is flushed to disk. */
export function findServer(db: Db) {
  return db.one(
    row({ version: text, major: integer, nowMilliseconds: integer, fsync: boolean, waits: boolean }),
    sql`select current_setting('server_version') as version, current_setting('server_version_num')::integer / 10000 as major,
      (extract(epoch from clock_timestamp()) * 1000)::bigint as now_milliseconds, current_setting('fsync')::boolean as fsync,
      current_setting('synchronous_commit') <> 'off' as waits`,
  );
}

/** The most connections that this user may have to this database at once, by the settings of server, role and database. */
export function findConnectionLimit(db: Db) {
  return db.one(
    row({ connections: integer }),
    sql`select least(
        current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
          - coalesce(current_setting('reserved_connections', true)::integer, 0),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as connections`,
  );
}

/** Lists the applied migrations; empty if there is no schema. */
export async function listMigrations(db: Db) {
  const { there } = await db.one(
    row({ there: boolean }),
    sql`select to_regclass('schema_migrations') is not null as there`,
  );
  if (!there) return [];
  return db.many(
    row({ name: text, sha256: text, breaking: boolean }),
    // The column was added after the table.
    sql`select name, sha256, coalesce((to_jsonb(m) ->> 'breaking')::boolean, false) as breaking
      from schema_migrations m order by number`,
  );
}

/**
 * Writes 16 MB to a table of its own, and drops it. Not to a temporary one, which a role may not be allowed, and which may be on
 * another disk. @throws Problem unavailable: the disk has no room for that
 */
export function writeMuch(db: Db): Promise<void> {
  const table = new Sql([`room_of_doctor_${randomBytes(8).toString("hex")}`], []);
  return db.transaction(async (tx) => {
    await tx.run(sql`create table ${table} (filler text)`);
    await tx.run(sql`insert into ${table} select repeat('x', 1600) from generate_series(1, 10000)`);
    await tx.run(sql`drop table ${table}`);
  });
}

export function countAdministrators(db: Db) {
  return db.one(
    row({ active: integer, users: integer }),
    sql`select count(*) filter (where is_admin and state = 'active') as active, count(*) as users from users`,
  );
}

/** Counts the monthly partitions for events from this month on without a gap, and whether rows wait in the last one. */
export function findMonthsAhead(db: Db) {
  return db.one(
    row({ months: integer, waiting: boolean }),
    sql`select count(*) filter (where there) as months, exists (select from events_later) as waiting
      from (
        select bool_and(to_regclass('events_' || to_char(month, 'YYYY_MM')) is not null) over (order by month) as there
        from generate_series(date_trunc('month', now() at time zone 'UTC'),
          date_trunc('month', now() at time zone 'UTC') + interval '6 months', interval '1 month') month
      ) months`,
  );
}

/** Counts rows that sweeps delete and that expired more than a day ago. */
export function countExpired(db: Db) {
  return db.pooled.one(
    row({ rows: integer }),
    sql`select (select count(*) from sessions where expires_at < now() - interval '1 day')
      + (select count(*) from authorization_requests where expires_at < now() - interval '1 day') as rows`,
  );
}
