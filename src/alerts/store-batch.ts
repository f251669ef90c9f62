/** Statements by which a batch of deliveries becomes alerts; each takes many rows at once. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { json, type Sql, sql } from "../platform/sql.ts";
import { closedWith } from "./store-closing.ts";

// A plan that was made while a table was small would go on to scan all of it, so the transaction allows only index scans.
const byIndex = sql`set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true)`;

/** How long a transaction waits for each lock: `shortly`, half a second; `long`, as long as every other transaction. */
export type Waits = "shortly" | "long";
const waitsShortly = sql`set_config('lock_timeout', '500ms', true),`;

/** Serialises everything that changes alerts of these projects until the transaction ends. @throws Problem unavailable */
export async function lockAlerts(
  db: Queries,
  projectIds: readonly number[],
  waits: Waits = "long",
): Promise<void> {
  // Sorted, so that two batches over the same projects cannot wait for each other.
  const keys = [...new Set(projectIds)].sort((a, b) => a - b).map((id) => `alerts of ${id}`);
  await db.run(
    sql`select ${waits === "shortly" ? waitsShortly : sql``} pg_advisory_xact_lock(hashtextextended(name, 0)), ${byIndex}
      from unnest(${keys}::text[]) as name`,
  );
}

/**
 * An alert `a` of the project and fingerprint of the row `input`. Adding 0 keeps the planner from using indexes that begin
 * with the project: a plan made while the table was small would go on to read all alerts of a project.
 */
export const sameAlert = sql`a.fingerprint_hash = decode(input.hash, 'hex') and a.project_id + 0 = input."projectId"`;

/**
 * Columns of the open alerts `a` of the row `input`: the one on which repeats are counted, and where grouping is off all
 * of them; each kind has an index of its own.
 */
export function openAlerts(columns: Sql): Sql {
  const open = sql`select ${columns} from alerts a where ${sameAlert} and a.status <> 'resolved' and not a.test`;
  return sql`${open} and a.grouped union all ${open} and not a.grouped offset 0`;
}

/** Returns the `ord` of the fingerprints that have an open alert on which repeats are counted. */
export async function findOpenAlerts(
  db: Queries,
  keys: readonly { ord: number; projectId: number; hash: string }[],
): Promise<Set<number>> {
  const found = await db.many(
    row({ ord: integer }),
    sql`select input.ord from json_to_recordset(${json(keys)}::json) as input (ord integer, "projectId" bigint, hash text)
      where (select a.id from alerts a where ${sameAlert} and a.status <> 'resolved' and a.grouped and not a.test)
        is not null`,
  );
  return new Set(found.map(({ ord }) => ord));
}

/** Returns the distinct starts of the alert `a` with these added, the latest 1,000; each distinct start is one occurrence. */
export function startsWith(starts: Sql): Sql {
  return sql`case when ${starts} <@ a.occurrence_starts then a.occurrence_starts
    else (a.occurrence_starts || array(select s from unnest(${starts}) s where s <> all (a.occurrence_starts)))
      [cardinality(a.occurrence_starts) + cardinality(${starts}) - 999:] end`;
}

export interface RecoveryRow {
  ord: number;
  projectId: number;
  hash: string;
  endedAt: string | null;
  payload: unknown;
}

export const RecoveredRow = row({
  /** `closed`: an incident that was closed with its last open alert, under the alert's `ord`. */
  what: oneOf(["resolved", "late", "closed"]),
  ord: integer,
  id: integer,
  iid: integer,
  title: text,
  incidentId: nullable(integer),
  at: instant,
  /** The start of its newest occurrence, before which a recovery is late; null: nobody gave one, or it is an incident. */
  newestStart: nullable(instant),
});
export type Recovered = RowOf<typeof RecoveredRow>;

/**
 * Resolves the open alerts of the fingerprints and closes their incidents (spec: States 1). A recovery whose end is before
 * the start of the newest occurrence is late: it counts as a delivery, and nothing else changes. A recovery without a row in
 * the result matches no open alert.
 */
export function resolveOpenAlerts(db: Queries, rows: readonly RecoveryRow[], closedBy: number) {
  return db.many(
    RecoveredRow,
    sql`with input as materialized (
        select * from json_to_recordset(${json(rows)}::json)
          as input (ord integer, "projectId" bigint, hash text, "endedAt" timestamptz(3), payload json)
      ), target as (
        select input.ord, o.id, o.iid, o.title, o.incident_id, input."endedAt" as ended_at,
          input.payload, o.last_start_given, coalesce(input."endedAt" < o.last_start_given, false) as late
        from input cross join lateral (
          ${openAlerts(sql`a.id, a.iid, a.title, a.incident_id, a.last_start_given`)}
        ) o
      ), resolved as (
        update alerts a set status = 'resolved', ended_at = greatest(coalesce(t.ended_at, now()), a.started_at),
          deliveries = a.deliveries + 1, payload = t.payload, last_seen_at = now(), updated_at = now()
        from target t where a.id = t.id and not t.late
      ), late as (
        update alerts a set deliveries = a.deliveries + 1, updated_at = now() from target t where a.id = t.id and t.late
      ), ${closedWith(sql`ord`, sql`not late`, closedBy)}
      select case when late then 'late' else 'resolved' end as what, ord, id, iid, title, incident_id,
        now()::timestamptz(3) as at, last_start_given as newest_start from target
      union all select 'closed', place, id, iid, title, null, now()::timestamptz(3), null from closed
      order by ord, id`,
  );
}

/** Counts further late recoveries on open alerts: each row is an alert with the deliveries that brought them. */
export function countLateRecoveries(
  db: Queries,
  rows: readonly { id: number; deliveries: number }[],
): Promise<number> {
  return db.run(
    sql`update alerts a set deliveries = a.deliveries + i.deliveries, updated_at = now()
      from json_to_recordset(${json(rows)}::json) as i (id bigint, deliveries integer) where a.id = i.id`,
  );
}
