/** Part of the statements that resolve many alerts: their incidents close with the last of their alerts. */
import { type Sql, sql } from "../platform/sql.ts";
import { OPEN } from "./store-statuses.ts";

/** Whether an alert of this incident is open. */
export function hasOpenAlert(incidentId: Sql): Sql {
  return sql`exists (select from alerts o where o.incident_id = ${incidentId} and o.status = any (${OPEN}))`;
}

/**
 * Two parts of a `with` behind `target`, whose rows (with `incident_id`) for which `where` holds are the alerts that the
 * statement resolves: `closed` is the incidents that close, each with the greatest `place` among its alerts.
 */
export function closedWith(place: Sql, where: Sql, closedBy: number): Sql {
  // The statement sees its own alerts as open still, so that an incident closes when no more are open than those.
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
