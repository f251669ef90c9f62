/** The statement behind the search of all alerts that a person may read. */
import type { Queries } from "../platform/db.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type ShownAlert, ShownAlertRow } from "./store-dashboard.ts";
import { hasWords } from "./store-lists.ts";
import { WAITING } from "./store-statuses.ts";

/** How many alerts the search reads: fewer than that of one project, since other things are searched beside it. */
export const SEARCHED_OF_ALL = 20_000;

/**
 * Lists the alerts that match, in projects of which the person is at least Developer, for administrators in all: open ones
 * first, then the newest. The number of alerts that are read does not depend on the number of projects: an equal share of the
 * newest of each (decision 0192).
 */
export function listFoundAlerts(
  db: Queries,
  seeker: { id: number; isAdmin: boolean },
  words: string,
  limit: number,
): Promise<ShownAlert[]> {
  return db.many(
    ShownAlertRow,
    sql`with ${readable(seeker.id)}
      select a.iid, a.title, a.severity, a.status, a.service, a.events, a.last_seen_at, p.name as project_name,
        p.full_path as project_full_path,
        (select count(*) from alert_assignees g where g.alert_id = a.id and g.user_id = ${seeker.id}) as assigned_to_viewer,
        a.silence_id is not null as silenced
      from ${seeker.isAdmin ? newestOfAll : newestOfEach} a
        join projects p on p.id = a.project_id and p.removal_began_at is null
      where not a.test and ${hasWords(words)}
      order by a.status in ${WAITING} desc, a.id desc limit ${limit}`,
  );
}

/** Only projects with alerts get a share. */
const readable = (userId: number): Sql => sql`readable as materialized (
  select r.project_id from project_roles r
  where r.user_id = ${userId} and r.access_level >= 30
    and exists (select from alert_counts c where c.project_id = r.project_id and c.n > 0))`;

const newestOfEach = sql`(select newest.* from readable cross join lateral (
  select * from alerts where project_id = readable.project_id order by iid desc
  limit (select greatest(1, ${SEARCHED_OF_ALL}::integer / count(*)) from readable)) newest)`;

const newestOfAll = sql`(select * from alerts order by id desc limit ${SEARCHED_OF_ALL})`;
