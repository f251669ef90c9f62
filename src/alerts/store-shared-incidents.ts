/** Statements about incidents that the alerts of a storm share, under the lock of the project's alerts (decision 0177). */
import type { Queries } from "../platform/db.ts";
import { instant, integer, jsonb, nullable, row } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import type { Severity } from "./severity.ts";
import { stormColumns } from "./store-settings.ts";
import { rankOf } from "./store-severities.ts";
import type { StormState } from "./storm.ts";

/** The stored state of a project's storm: when alerts opened, and the incident that they share. */
export type StormKept = Pick<StormState, "slots" | "since" | "opened"> & { incidentId: number | null };

/**
 * Returns the storm of a project; the incident is null if there is none or somebody closed it. `now` is the time of the
 * statement.
 */
export function findIncidentStorm(db: Queries, projectId: number) {
  return db.one(
    row({
      now: instant,
      threshold: integer,
      windowSeconds: integer,
      kept: jsonb<StormKept | null>(),
      incidentId: nullable(integer),
      incidentIid: nullable(integer),
    }),
    sql`select clock_timestamp()::timestamptz(3) as now, ${stormColumns},
        o.incidents as kept, n.id as incident_id, n.iid as incident_iid
      from (select 1) one left join alert_settings s on s.project_id = ${projectId}
        left join alert_storms o on o.project_id = ${projectId}
        left join incidents n on n.id = (o.incidents ->> 'incidentId')::bigint and n.state = 'opened'`,
  );
}

export function upsertIncidentStorm(db: Queries, projectId: number, kept: StormKept): Promise<number> {
  return db.run(
    sql`insert into alert_storms as o (project_id, incidents) values (${projectId}, ${json(kept)}::jsonb)
      on conflict (project_id) do update set incidents = excluded.incidents`,
  );
}

/** Raises the severity of an incident to that of an alert, unless it is as severe already. */
export function raiseIncident(db: Queries, id: number, severity: Severity): Promise<number> {
  return db.run(
    sql`update incidents set severity = ${severity}, updated_at = now() where id = ${id}
      and ${rankOf(severity)} < ${rankOf(sql`severity`)}`,
  );
}

/** Sets the incident of alerts that have none. */
export function joinIncident(db: Queries, incidentId: number, alertIds: readonly number[]): Promise<number> {
  return db.run(
    sql`update alerts set incident_id = ${incidentId}, updated_at = now()
      where id = any (${alertIds}::bigint[]) and incident_id is null`,
  );
}
