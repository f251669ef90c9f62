/** Statements about open alerts without a delivery for as long as their project allows (decision 0116). */
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { closedWith, type SilentPortion } from "./store-closing.ts";
import { OPEN } from "./store-statuses.ts";

// Open statuses are listed because an index is ordered by them; `<> 'resolved'` would scan all alerts of a project.
const due = sql`alert_settings s join projects p on p.id = s.project_id join alerts a on a.project_id = s.project_id
  where s.resolve_after_hours > 0 and not p.archived and not a.test
    and a.status = any (${OPEN})
    and greatest(a.last_seen_at, p.awake_since, (select up_since from alert_timeout_watch))
      <= now() - make_interval(hours => s.resolve_after_hours)
    and not exists (select from alert_activity t where t.alert_id = a.id and t.kind = 'status'
      and t.created_at > now() - make_interval(hours => s.resolve_after_hours))`;

/** Records that the clock was checked; after ten minutes without a check, the service counts as up only since now. */
export function lookAtTimeouts(db: Queries): Promise<number> {
  return db.run(
    sql`update alert_timeout_watch set looked_at = now(),
      up_since = case when looked_at < now() - interval '10 minutes' then now() else up_since end`,
  );
}

/** Lists projects with due alerts. */
export async function listTimedOut(db: Queries): Promise<number[]> {
  const found = await db.many(
    row({ projectId: integer }),
    sql`select distinct s.project_id from ${due} order by s.project_id limit 50`,
  );
  return found.map(({ projectId }) => projectId);
}

export const TimedOutRow = row({
  id: integer,
  title: text,
  lastSeenAt: instant,
  hours: integer,
  incidentId: nullable(integer),
  /** The iid and title of the incident that closed with it, which several alerts may have shared. */
  closedIid: nullable(integer),
  closedTitle: nullable(text),
});

/**
 * Resolves up to `limit` due alerts of a project and closes their incidents. The caller has locked the project, so that none
 * repeats meanwhile.
 */
export function resolveTimedOut(tx: Queries, { projectId, limit, botId }: SilentPortion) {
  return tx.many(
    TimedOutRow,
    sql`with target as materialized (
        select a.id, a.title, a.last_seen_at, a.incident_id, s.resolve_after_hours as hours from ${due}
          and s.project_id = ${projectId}
        order by a.last_seen_at, a.id limit ${limit}
      ), resolved as (
        update alerts a set status = 'resolved', ended_at = greatest(now(), a.started_at), updated_at = now()
        from target t where a.id = t.id
      ), ${closedWith(sql`id`, sql`true`, botId)}
      select t.id, t.title, t.last_seen_at, t.hours, t.incident_id, c.iid as closed_iid, c.title as closed_title
      from target t left join closed c on c.id = t.incident_id and c.place = t.id
      order by t.last_seen_at, t.id`,
  );
}
