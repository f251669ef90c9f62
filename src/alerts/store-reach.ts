/** The statement that reads the silences, channels and settings that recording alerts must apply. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, jsonb, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import type { InForce } from "./silence.ts";
import { inForce } from "./store-silences.ts";

/** Returns one row per project: the silences in force, whether it has an active channel, and its settings. */
export function listReach(db: Queries, projectIds: readonly number[]) {
  return db.many(
    row({
      projectId: integer,
      silences: jsonb<InForce[]>(),
      notifies: boolean,
      collapsesIncidents: boolean,
      keepsResolved: boolean,
    }),
    sql`select p.id as project_id,
        coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'comment', s.comment, 'matchers', s.matchers)
          order by s.id) from alert_silences s where s.project_id = p.id and ${inForce}), '[]') as silences,
        exists (select from alert_channels c where c.project_id = p.id and c.active) as notifies,
        coalesce(t.collapse_incidents, false) as collapses_incidents,
        coalesce(t.late_firings_stay_resolved, false) as keeps_resolved
      from unnest(${projectIds}::bigint[]) as p (id) left join alert_settings t on t.project_id = p.id`,
  );
}
