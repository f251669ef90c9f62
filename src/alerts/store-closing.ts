/** Parts of the statements that resolve many alerts: incidents close with the last of their alerts. */
import { type Sql, sql } from "../platform/sql.ts";
import { OPEN } from "./store-statuses.ts";

/** The alerts of one project that are resolved in one transaction: `limit` at most, as the bot. */
export interface SilentPortion {
  projectId: number;
  limit: number;
  botId: number;
}

/** Whether an alert of this incident is open. */
export function hasOpenAlert(incidentId: Sql): Sql {
  return sql`exists (select from alerts o where o.incident_id = ${incidentId} and o.status = any (${OPEN}))`;
}

/**
 * Two parts of a `with` after `target`, whose rows (with `incident_id`) for which `where` holds are the alerts that the
 * statement resolves: `closed` has the incidents that close, each with the greatest `place` among its alerts.
 */
export function closedWith(place: Sql, where: Sql, closedBy: number): Sql {
  // The statement still sees these alerts as open, so an incident closes if it has no other open alerts.
  return sql`ending as materialized (
      select incident_id, count(*) as n, max(${place}) as place from target
      where incident_id is not null and ${where} group by incident_id
    ), closed as (
      update incidents n set state = 'closed', closed_at = now(), closed_by = ${closedBy}, updated_at = now()
      from ending e
      where n.id = e.incident_id and n.state = 'opened'
        and coalesce((select auto_close_incident from alert_settings s where s.project_id = n.project_id), true)
        and e.n = (select count(*) from (select from alerts o where o.incident_id = e.incident_id
          and o.status = any (${OPEN}) limit e.n + 1) open)
      returning n.id, n.iid, n.title, e.place
    )`;
}
