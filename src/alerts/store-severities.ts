/** The order of severities in statements, and the statement that raises those of alerts and their incidents. */
import type { Queries } from "../platform/db.ts";
import { json, type Sql, sql } from "../platform/sql.ts";
import { SEVERITIES, type Severity } from "./severity.ts";

/** Returns the rank of a severity, or of a column: the lower, the more severe. */
export function rankOf(severity: Severity | Sql): Sql {
  return sql`array_position(${SEVERITIES}::text[], ${severity})`;
}

/**
 * Raises the severity of alerts and their incidents, except incidents that are as severe already because somebody set that.
 * The caller has locked the projects.
 */
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
        and ${rankOf(sql`r.severity`)} < ${rankOf(sql`n.severity`)}`,
  );
}
