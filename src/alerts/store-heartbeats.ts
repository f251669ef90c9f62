/** Statements about heartbeats. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Heartbeat, type HeartbeatAddress, type HeartbeatFields, HeartbeatRow } from "./heartbeat.ts";

const columns = sql`h.id, h.project_id, p.full_path as project_path, h.name, h.identifier, h.key_digest, h.key_sealed,
  h.active and not p.archived as active, h.active as is_on, h.interval_seconds, h.grace_seconds, h.severity, h.last_ping_at, h.due_at,
  h.late, coalesce(s.create_incident, true) as create_incident, s.incident_template_id,
  coalesce(s.reaches, false) as reaches,
  now()::timestamptz(3) as now, h.created_at, h.updated_at`;
const heartbeats = sql`alert_heartbeats h join projects p on p.id = h.project_id
  left join alert_settings s on s.project_id = h.project_id`;

export function listHeartbeats(db: Queries, projectId: number): Promise<Heartbeat[]> {
  return db.many(
    HeartbeatRow,
    sql`select ${columns} from ${heartbeats} where h.project_id = ${projectId} order by h.late desc, h.id limit 200`,
  );
}

const heartbeat = (projectId: number, id: number): Sql =>
  sql`select ${columns} from ${heartbeats} where h.project_id = ${projectId} and h.id = ${id}`;

export function findHeartbeat(db: Queries, projectId: number, id: number): Promise<Heartbeat | undefined> {
  return db.find(HeartbeatRow, heartbeat(projectId, id));
}

/** Returns a heartbeat and locks it until the transaction ends. */
export function lockHeartbeat(tx: Queries, projectId: number, id: number): Promise<Heartbeat | undefined> {
  return tx.find(HeartbeatRow, sql`${heartbeat(projectId, id)} for update of h`);
}

const heartbeatAt = ({ projectPath, identifier }: HeartbeatAddress): Sql =>
  sql`select ${columns} from ${heartbeats} where h.identifier = ${identifier}
    and p.id = coalesce((select id from projects where lower(full_path) = lower(${projectPath})),
      (select project_id from project_redirects where old_path = lower(${projectPath})))`;

export function findHeartbeatAt(db: Queries, address: HeartbeatAddress): Promise<Heartbeat | undefined> {
  return db.find(HeartbeatRow, heartbeatAt(address));
}

/** Returns the heartbeat at an address and locks it until the transaction ends. */
export function lockHeartbeatAt(tx: Queries, address: HeartbeatAddress): Promise<Heartbeat | undefined> {
  return tx.find(HeartbeatRow, sql`${heartbeatAt(address)} for update of h`);
}

const next = sql`now() + make_interval(secs => interval_seconds + grace_seconds)`;

/** Records a ping unless the heartbeat is late or off; then returns 0. */
export function updatePinged(db: Queries, id: number): Promise<number> {
  return db.run(
    sql`update alert_heartbeats set last_ping_at = now(), due_at = ${next} where id = ${id} and not late and active`,
  );
}

/** Records a ping, and that the heartbeat is not late any more. */
export function updateBack(db: Queries, id: number): Promise<number> {
  return db.run(
    sql`update alert_heartbeats set last_ping_at = now(), due_at = ${next}, late = false where id = ${id}`,
  );
}

const due = sql`h.active and not p.archived and not h.late and h.due_at <= now()`;

/** Lists projects with due heartbeats, in the order of their earliest due time. */
export async function listDue(db: Queries): Promise<number[]> {
  const found = await db.many(
    row({ projectId: integer }),
    sql`select h.project_id from ${heartbeats} where ${due} group by h.project_id order by min(h.due_at)`,
  );
  return found.map(({ projectId }) => projectId);
}

/** Locks up to `limit` due heartbeats of a project, without those that others have locked. */
export function lockDue(db: Queries, projectId: number, limit: number): Promise<Heartbeat[]> {
  return db.many(
    HeartbeatRow,
    sql`select ${columns} from ${heartbeats} where ${due} and h.project_id = ${projectId}
      order by h.due_at limit ${limit} for update of h skip locked`,
  );
}

export function updateLate(db: Queries, ids: readonly number[]): Promise<number> {
  return db.run(sql`update alert_heartbeats set late = true where id = any (${ids}::bigint[])`);
}

/**
 * Records that the clock was checked. Heartbeats that came due while no process checked for a minute get another interval:
 * then the service was probably down and could receive no pings.
 */
export function lookAtClock(db: Queries): Promise<number> {
  return countOf(
    db,
    sql`with before as (select looked_at from alert_heartbeat_watch for update),
      looked as (update alert_heartbeat_watch set looked_at = now()),
      spared as (
        update alert_heartbeats h set due_at = ${next} from before
        where before.looked_at < now() - interval '1 minute' and not h.late
          and h.due_at between before.looked_at and now()
        returning h.id)
      select count(*) as n from spared`,
  );
}

/** Corrects due times that were set while the clock was ahead, and those of pings, from which a change of the heartbeat counts. */
export function updateDueAhead(db: Queries): Promise<number> {
  return db.run(
    sql`update alert_heartbeats set due_at = case when due_at > ${next} then ${next} else due_at end,
        last_ping_at = least(last_ping_at, now())
      where due_at > ${next} or last_ping_at > now()`,
  );
}

export function insertHeartbeat(
  db: Queries,
  projectId: number,
  one: HeartbeatFields & { identifier: string; keyDigest: Buffer; keySealed: Buffer },
) {
  return db.one(
    row({ id: integer }),
    sql`insert into alert_heartbeats (project_id, name, identifier, key_digest, key_sealed, active, interval_seconds,
        grace_seconds, severity)
      values (${projectId}, ${one.name}, ${one.identifier}, ${one.keyDigest}, ${one.keySealed}, ${one.active},
        ${one.intervalSeconds}, ${one.graceSeconds}, ${one.severity})
      returning id`,
  );
}

/**
 * Updates a heartbeat. Switched off, it is not due; switched on again, it waits for its next ping, which also ends the alert
 * of one that was late.
 */
export function updateHeartbeat(db: Queries, id: number, one: HeartbeatFields): Promise<number> {
  return db.run(
    sql`update alert_heartbeats set name = ${one.name}, interval_seconds = ${one.intervalSeconds},
        grace_seconds = ${one.graceSeconds}, severity = ${one.severity}, updated_at = now(),
        due_at = case when not ${one.active}::boolean or not active or due_at is null then null else
          last_ping_at + make_interval(secs => ${one.intervalSeconds}::integer + ${one.graceSeconds}::integer) end,
        active = ${one.active}
      where id = ${id}`,
  );
}

export function replaceHeartbeatKey(
  db: Queries,
  id: number,
  key: { digest: Buffer; sealed: Buffer },
): Promise<number> {
  return db.run(
    sql`update alert_heartbeats set key_digest = ${key.digest}, key_sealed = ${key.sealed}, updated_at = now()
      where id = ${id}`,
  );
}

export function deleteHeartbeat(db: Queries, id: number): Promise<number> {
  return db.run(sql`delete from alert_heartbeats where id = ${id}`);
}
