/** The statement behind the start page: what is open in all the projects of one person. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { ALERT_STATUSES } from "./alert.ts";
import { SEVERITIES } from "./severity.ts";

const UrgentAlertRow = row({
  iid: integer,
  title: text,
  severity: oneOf(SEVERITIES),
  status: oneOf(ALERT_STATUSES),
  service: nullable(text),
  events: integer,
  lastSeenAt: instant,
  projectName: text,
  projectFullPath: text,
  assignedToViewer: integer,
  total: integer,
});
export type UrgentAlert = RowOf<typeof UrgentAlertRow>;

/**
 * The triggered and acknowledged alerts of projects in which the person is at least Developer, most critical first,
 * then newest; `total` is how many there are in all.
 */
export function listUrgentAlerts(db: Queries, userId: number, limit: number): Promise<UrgentAlert[]> {
  return db.many(
    UrgentAlertRow,
    sql`with mine as materialized (
        select p.id, p.name, p.full_path from project_roles r join projects p on p.id = r.project_id
        where r.user_id = ${userId} and r.access_level >= 30
      ), open as (
        select a.*, mine.name as project_name, mine.full_path as project_full_path, count(*) over () as total
        from mine join alerts a on a.project_id = mine.id
        where a.status <> 'resolved' and a.status <> 'ignored' and not a.test
      )
      select iid, title, severity, status, service, events, last_seen_at, project_name, project_full_path,
        (select count(*) from alert_assignees g where g.alert_id = open.id and g.user_id = ${userId}) as assigned_to_viewer,
        total
      from open
      order by array_position(array['critical', 'high', 'medium', 'low', 'info', 'unknown'], severity),
        started_at desc, id desc
      limit ${limit}`,
  );
}
