/** Statements about the monthly partitions of events. */
import type { Db, Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { boolean, integer, row, text } from "../platform/row.ts";
import { Sql, sql } from "../platform/sql.ts";

/**
 * Creating or dropping a partition locks events, people and projects exclusively for a moment. While it waits for a long reader,
 * such as a backup, everybody else waits behind it, so it gives up soon.
 */
const waitsShortly = sql`select set_config('lock_timeout', '200ms', true)`;

/**
 * Creates the missing partitions; returns how many.
 * @throws Problem unavailable: somebody has locked the tables (decision 0163)
 */
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

/** Partitions that ended at least two years and a day ago, oldest first, including those that are half detached. */
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
 * Detaches a partition. It waits for readers instead of making them wait.
 * @param partition of `listOldPartitions`
 */
export async function detachPartition(
  db: Db,
  { name, pending }: { name: string; pending: boolean },
): Promise<void> {
  const how = pending ? "finalize" : "concurrently";
  await db.pooled.run(new Sql([`alter table events detach partition ${checked(name)} ${how}`], []));
}

/** Drops a detached partition. @throws Problem unavailable: somebody has locked the tables (decision 0163) */
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

/** How many events a sweep would remove of projects with days of their own, most first; without the months that it drops. */
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

/** Removes some events that a project no longer keeps; fewer than `most`: none are left (decision 0119). */
export async function deleteOverdue(db: Queries, projectId: number, most: number): Promise<number> {
  const { removed } = await db.one(
    row({ removed: integer }),
    sql`select remove_overdue_events(${projectId}::bigint, ${most}::integer) as removed`,
  );
  return removed;
}

/** Deletes some replay keys of events that are gone. */
export function deleteOldKeys(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`event_keys`, sql`event_created_at < now() - interval '2 years 1 day'`, most);
}

/** Deletes some deliveries after 30 days; no forge sends one again that late. */
export function deleteOldDeliveries(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`event_deliveries`, sql`received_at < now() - interval '30 days'`, most);
}
