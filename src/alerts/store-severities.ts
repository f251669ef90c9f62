/** The statement that makes alerts and their incidents more severe. */
import type { Queries } from "../platform/db.ts";
import { json, sql } from "../platform/sql.ts";
import { SEVERITIES, type Severity } from "./severity.ts";

/** The projects are locked. An incident that is as bad already, because somebody said so, stays as it is. */
export function raiseSeverities(
  db: Queries,
  rows: readonly { id: number; severity: Severity }[],
): Promise<number> {
  return db.run(
    sql`with i as materialized (
        select * from json_to_recordset(${json(rows)}::json) as i (id bigint, severity text)
      ), raised as (
        update alerts a set severity = i.severity, updated_at = now() from i where a.id = i.id
        returning a.incident_id, a.severity
      )
      update incidents n set severity = r.severity, updated_at = now() from raised r
      where n.id = r.incident_id
        and array_position(${[...SEVERITIES]}::text[], r.severity) < array_position(${[...SEVERITIES]}::text[], n.severity)`,
  );
}
