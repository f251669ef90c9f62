/** Statements about storms: one row a project, read and written under the lock of its alerts. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, jsonb, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import { stormColumns } from "./store-settings.ts";
import { NO_STORM, type Storm, type StormState } from "./storm.ts";

/**
 * How each of these projects stands. The instant is that of the statement: a transaction may have waited for the lock
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
  // The version before counted for the whole project, in columns of its own, and kept less of a channel.
  return found.map(({ channels, ...storm }) => ({
    ...storm,
    channels: Object.fromEntries(
      Object.entries(channels).map(([id, state]) => [id, { ...NO_STORM, ...state }]),
    ),
  }));
}

/** The row says besides since when a storm lasts for any channel. */
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

/** The projects in which a storm lasts, but for those that rest. */
export async function listStormy(db: Queries): Promise<number[]> {
  const found = await db.many(
    row({ projectId: integer }),
    sql`select o.project_id from alert_storms o join projects p on p.id = o.project_id
      where o.since is not null and not p.archived order by o.project_id`,
  );
  return found.map(({ projectId }) => projectId);
}

/** Since when a storm lasts in a project; undefined: there is none. */
export async function findStormBegin(db: Queries, projectId: number): Promise<Date | undefined> {
  const found = await db.find(
    row({ since: instant }),
    sql`select since from alert_storms where project_id = ${projectId} and since is not null`,
  );
  return found?.since;
}
