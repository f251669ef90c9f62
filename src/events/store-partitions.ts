/** Statements about the months in which events are kept. */
import type { Db, Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { boolean, integer, row, text } from "../platform/row.ts";
import { Sql, sql } from "../platform/sql.ts";

/**
 * Months are made and dropped by one who has events, people and projects to himself for a moment: while he waits for somebody
 * who reads them for long, as a backup does, everybody else waits behind him. He gives up soon.
 */
const waitsShortly = sql`select set_config('lock_timeout', '200ms', true)`;

/** Makes the missing months; returns how many. @throws Problem unavailable: somebody holds the tables (decision 0163) */
export function makePartitions(db: Db, monthsBack: number, monthsAhead: number): Promise<number> {
  return db.transaction(async (tx) => {
    await tx.run(waitsShortly);
    const { made } = await tx.one(
      row({ made: integer }),
      sql`select ensure_event_partitions(${monthsBack}::integer, ${monthsAhead}::integer) as made`,
    );
    return made;
  });
}

/** Months that lie wholly further back than two years and a day, oldest first; those half detached too. */
export function listOldPartitions(db: Queries) {
  return db.many(
    row({ name: text, attached: boolean, pending: boolean }),
    sql`select c.relname::text as name, i.inhrelid is not null as attached,
        coalesce(i.inhdetachpending, false) as pending
      from pg_class c left join pg_inherits i on i.inhrelid = c.oid
      where c.relname ~ '^events_\\d{4}_\\d\\d$' and c.relkind = 'r'
        and c.relnamespace = (select relnamespace from pg_class where oid = 'events'::regclass)
        and (to_date(substr(c.relname, 8), 'YYYY_MM') + interval '1 month') at time zone 'UTC'
          <= now() - interval '2 years 1 day'
      order by c.relname`,
  );
}

/**
 * Takes a month out of the table. It waits for readers instead of making them wait.
 * @param partition of `listOldPartitions`
 */
export async function detachPartition(
  db: Db,
  { name, pending }: { name: string; pending: boolean },
): Promise<void> {
  const how = pending ? "finalize" : "concurrently";
  await db.pooled.run(new Sql([`alter table events detach partition ${checked(name)} ${how}`], []));
}

/** Drops a month that is not of the table any more. @throws Problem unavailable: somebody holds the tables (decision 0163) */
export function dropPartition(db: Db, name: string): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.run(waitsShortly);
    await tx.run(new Sql([`drop table if exists ${checked(name)}`], []));
  });
}

function checked(name: string): string {
  if (!/^events_\d{4}_\d\d$/.test(name)) throw new Error(`not a month of events: ${name}`);
  return name;
}

/** Projects that keep their events for fewer days than two years. */
export function listShortProjects(db: Queries) {
  return db.many(
    row({ id: integer }),
    sql`select id from projects where event_retention_days is not null order by id`,
  );
}

/** What a sweep would remove of projects that keep their events for fewer days, most first; months that it drops are left out. */
export function listOverdue(db: Queries) {
  return db.many(
    row({ fullPath: text, days: integer, n: integer }),
    sql`select p.full_path, p.event_retention_days as days, o.n from projects p cross join lateral (
        select count(*) as n from events e where e.project_id = p.id
          and e.created_at < now() - p.event_retention_days * interval '24 hours'
          and e.created_at >= date_trunc('month', (now() - interval '2 years 1 day') at time zone 'UTC') at time zone 'UTC') o
      where p.event_retention_days is not null and o.n > 0 order by o.n desc, p.id`,
  );
}

/** Removes some of what a project keeps no longer; less than `most`: there is no more (decision 0119). */
export async function deleteOverdue(db: Queries, projectId: number, most: number): Promise<number> {
  const { removed } = await db.one(
    row({ removed: integer }),
    sql`select remove_overdue_events(${projectId}::bigint, ${most}::integer) as removed`,
  );
  return removed;
}

/** Ends some of the replay keys of events that are gone. */
export function deleteOldKeys(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`event_keys`, sql`event_created_at < now() - interval '2 years 1 day'`, most);
}

/** Ends some of the notes of deliveries after 30 days; no forge sends one again that late. */
export function deleteOldDeliveries(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`event_deliveries`, sql`received_at < now() - interval '30 days'`, most);
}
