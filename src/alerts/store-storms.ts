/** Statements about storms: one row per project, read and written under the lock of its alerts. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, jsonb, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import { stormColumns } from "./store-settings.ts";
import { NO_STORM, type Storm, type StormState } from "./storm.ts";

/**
 * Returns the storms of these projects. `now` is the time of the statement, because a transaction may have waited for the lock
 * behind one that began later.
 */
export async function listStorms(db: Queries, projectIds: readonly number[]): Promise<Storm[]> {
  const found = await db.many(
    row({
      projectId: integer,
      projectPath: text,
      now: instant,
      threshold: integer,
      windowSeconds: integer,
      channels: jsonb<Record<string, Partial<StormState>>>(),
    }),
    sql`select p.id as project_id, p.full_path as project_path, clock_timestamp()::timestamptz(3) as now,
        ${stormColumns},
        coalesce(o.channels, '{}') as channels
      from projects p left join alert_settings s on s.project_id = p.id left join alert_storms o on o.project_id = p.id
      where p.id = any (${projectIds}::bigint[])`,
  );
  // Rows of the previous version lack members of the channels' states.
  return found.map(({ channels, ...storm }) => ({
    ...storm,
    channels: Object.fromEntries(
      Object.entries(channels).map(([id, state]) => [id, { ...NO_STORM, ...state }]),
    ),
  }));
}

/** Stores storms; `since` is when the oldest of the channels' storms began. */
export function upsertStorms(
  db: Queries,
  storms: readonly Pick<Storm, "projectId" | "channels">[],
): Promise<number> {
  return db.run(
    sql`insert into alert_storms as o (project_id, since, channels)
      select "projectId", (select min((c.value ->> 'since')::timestamptz) from jsonb_each(channels) c), channels
      from json_to_recordset(${json(storms)}::json) as i ("projectId" bigint, channels jsonb)
      on conflict (project_id) do update set since = excluded.since, channels = excluded.channels`,
  );
}

/** Lists the projects with a storm, without archived ones. */
export async function listStormy(db: Queries): Promise<number[]> {
  const found = await db.many(
    row({ projectId: integer }),
    sql`select o.project_id from alert_storms o join projects p on p.id = o.project_id
      where o.since is not null and not p.archived order by o.project_id`,
  );
  return found.map(({ projectId }) => projectId);
}

/** Returns when the storm of a project began; undefined if there is none. */
export async function findStormBegin(db: Queries, projectId: number): Promise<Date | undefined> {
  const found = await db.find(
    row({ since: instant }),
    sql`select since from alert_storms where project_id = ${projectId} and since is not null`,
  );
  return found?.since;
}
