/** Statements about the numbers of transactions in which events arrived, as they belong to one server. */
import type { Queries } from "../platform/db.ts";
import { MIGRATION_LOCK } from "../platform/migrate.ts";
import { boolean, integer, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

/**
 * Whether any number lies ahead of all transactions of this server, so that another one gave it. Of events the newest are read,
 * which have it if the other server was hardly ahead, and the last arrivals of some projects, which keep it if many events were
 * recorded here since: looking at all projects would take a start seconds.
 */
export async function hasForeignNumbers(db: Queries): Promise<boolean> {
  const { foreign } = await db.one(
    row({ foreign: boolean }),
    sql`select exists (select from event_epoch where settled >= upcoming)
        or exists (select from event_hooks where read_in >= upcoming)
        or exists (select from (select arrived_in from events order by created_at desc limit 1000) newest
          where arrived_in >= upcoming)
        or exists (select from (select id from projects order by id limit 1000) p cross join lateral
          (select e.arrived_in from events e where e.project_id = p.id order by e.arrived_in desc limit 1) last
          where last.arrived_in >= upcoming) as "foreign"
      from (select pg_snapshot_xmax(pg_current_snapshot()) as upcoming) server`,
  );
  return foreign;
}

/** Makes other starts and migrations wait until the transaction ends. */
export function lockStarts(tx: Queries): Promise<number> {
  return tx.run(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
}

/** Lets all events have arrived before every transaction of this server; as the owner of the tables. */
export async function renumberEvents(tx: Queries): Promise<void> {
  // Others queue behind one that waits for a table, so it gives up before their own statements do.
  await tx.run(sql`set local lock_timeout = '5s'`);
  await tx.run(sql`select renumber_events()`);
}

/** Begins another epoch, which refuses all positions of readers that are out there; returns its name. */
export async function beginEventEpoch(tx: Queries): Promise<string> {
  await tx.run(sql`select begin_event_epoch()`);
  const { epoch } = await tx.one(row({ epoch: text }), sql`select epoch from event_epoch`);
  return epoch;
}

/** Stores the horizon of arrivals, and that it has moved by now, unless it is the one that is stored. */
export function updateHorizon(db: Queries): Promise<number> {
  return db.run(
    sql`update event_epoch set horizon = pg_snapshot_xmin(pg_current_snapshot()), horizon_at = clock_timestamp()
      where horizon <> pg_snapshot_xmin(pg_current_snapshot())`,
  );
}

/**
 * Since how many seconds, to half a minute, the horizon is as it is stored, although newer transactions have ended, so that new
 * events have reached neither readers nor hooks; 0: it moves.
 */
export async function findHeldSeconds(db: Queries): Promise<number> {
  const { seconds } = await db.one(
    row({ seconds: integer }),
    sql`select case when e.horizon = pg_snapshot_xmin(now.seen) and pg_snapshot_xmin(now.seen) < pg_snapshot_xmax(now.seen)
          then greatest(0, extract(epoch from clock_timestamp() - e.horizon_at))::bigint else 0 end as seconds
      from event_epoch e, (select pg_current_snapshot() as seen) now`,
  );
  return seconds;
}
