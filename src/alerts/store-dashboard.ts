/** The statement behind the start page: the open alerts of all projects of one person. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { ALERT_STATUSES } from "./alert.ts";
import { SEVERITIES } from "./severity.ts";
import { rankOf } from "./store-severities.ts";
import { WAITING } from "./store-statuses.ts";

export const ShownAlertRow = row({
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
});
/** An alert of any project, as short lists show it. */
export type ShownAlert = RowOf<typeof ShownAlertRow>;

const UrgentAlertRow = row({ ...ShownAlertRow.columns, total: integer });
export type UrgentAlert = RowOf<typeof UrgentAlertRow>;

/**
 * Lists the triggered and acknowledged alerts of projects in which the person is at least Developer and that are not archived,
 * the most critical first, then the newest; `total` is the number of all of them. Of each status and severity, only the newest
 * are read.
 */
export function listUrgentAlerts(db: Queries, userId: number, limit: number): Promise<UrgentAlert[]> {
  return db.many(
    UrgentAlertRow,
    sql`with mine as materialized (
        select p.id, p.name, p.full_path from project_roles r join projects p on p.id = r.project_id
        where r.user_id = ${userId} and r.access_level >= 30 and not p.archived
      ), waiting as materialized (
        select mine.*, c.status, c.severity, c.n from mine join alert_counts c on c.project_id = mine.id
        where c.status in ${WAITING} and c.n > 0
      )
      select a.iid, a.title, a.severity, a.status, a.service, a.events, a.last_seen_at, w.name as project_name,
        w.full_path as project_full_path,
        (select count(*) from alert_assignees g where g.alert_id = a.id and g.user_id = ${userId}) as assigned_to_viewer,
        (select sum(n) from waiting)::bigint as total
      from waiting w cross join lateral (
        select * from alerts a
        where a.project_id = w.id and a.status = w.status and a.severity = w.severity and not a.test
        order by a.started_at desc, a.id desc limit ${limit}) a
      order by ${rankOf(sql`a.severity`)},
        a.started_at desc, a.id desc
      limit ${limit}`,
  );
}
