/** The statement that opens incidents for alerts that were opened without one. */
import type { Queries } from "../platform/db.ts";
import { integer, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import { UNTITLED } from "./senders/member.ts";

export interface LateIncident {
  alertId: number;
  title: string;
  body: string;
  severity: string;
}

/**
 * Inserts one incident for each alert, numbered without gaps, and titled by its number if the alert has no title; the caller
 * has locked the project's alerts.
 */
export function insertLateIncidents(
  db: Queries,
  { projectId, authorId }: { projectId: number; authorId: number },
  rows: readonly LateIncident[],
) {
  return db.many(
    row({ alertId: integer, id: integer, iid: integer, title: text }),
    sql`with i as materialized (
        select i.*, nextval('incidents_id_seq') as id, row_number() over (order by "alertId") as place
        from json_to_recordset(${json(rows)}::json) as i ("alertId" bigint, title text, body text, severity text)
      ), taken as (
        insert into project_counters as c (project_id, kind, last) values (${projectId}, 'incident', ${rows.length})
        on conflict (project_id, kind) do update set last = c.last + excluded.last
        returning last - ${rows.length} as before
      ), made as (
        insert into incidents (id, project_id, iid, title, description, severity, author_id)
        overriding system value
        select id, ${projectId}, before + place, case when title = ${UNTITLED} then 'New: Incident ' || before + place
          else title end, body, severity, ${authorId} from i, taken
        returning id, iid, title
      ), tied as (
        update alerts a set incident_id = i.id, updated_at = now() from i where a.id = i."alertId"
      )
      select i."alertId" as alert_id, made.id, made.iid, made.title from i join made using (id) order by place`,
  );
}
