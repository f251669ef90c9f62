/** Statements that read alerts from end to end, for exports, and those that came since a page was shown. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Alert, AlertRow } from "./alert.ts";
import { alertColumns, alertsWithNames } from "./store.ts";
import { type AlertFilter, conditions } from "./store-lists.ts";

/** The next alerts of a filter below a number, the newest first. */
export function listAlertsBelow(
  db: Queries,
  projectId: number,
  filter: AlertFilter,
  belowIid: number,
  limit: number,
): Promise<Alert[]> {
  return db.many(
    AlertRow,
    sql`select ${alertColumns} from (
        select a.id as chosen from alerts a where ${conditions(projectId, filter)} and a.iid < ${belowIid}
        order by a.iid desc limit ${limit}
      ) c join ${alertsWithNames} on a.id = c.chosen order by a.iid desc`,
  );
}

/** How many alerts of a filter have a number above this one. */
export async function countArrived(
  db: Queries,
  projectId: number,
  filter: AlertFilter,
  aboveIid: number,
): Promise<number> {
  const { n } = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from alerts a where ${conditions(projectId, filter)} and a.iid > ${aboveIid}`,
  );
  return n;
}

/** The last number given to an alert of each of these projects. */
export function findLastNumbers(db: Queries, projectIds: readonly number[]) {
  return db.many(
    row({ projectId: integer, last: integer }),
    sql`select project_id, last from project_counters where kind = 'alert' and project_id = any (${projectIds}::bigint[])`,
  );
}
