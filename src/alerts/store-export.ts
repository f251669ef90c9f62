/** Statements that page through all alerts for exports, and count those that arrived since a page was rendered. */
import type { Queries } from "../platform/db.ts";
import { integer, nullable, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Alert, AlertRow } from "./alert.ts";
import { alertColumns, bareColumns, namesOfAlert } from "./store.ts";
import { type AlertFilter, conditions } from "./store-lists.ts";

/** Lists the next alerts of a filter below an iid, the newest first; `isBare`: without payloads, as in lists. */
export function listAlertsBelow(
  db: Queries,
  projectId: number,
  filter: AlertFilter,
  belowIid: number,
  { limit, isBare }: { limit: number; isBare: boolean },
): Promise<Alert[]> {
  return db.many(
    AlertRow,
    sql`select ${isBare ? bareColumns : alertColumns} from (
        select a.id as chosen from alerts a where ${conditions(projectId, filter)} and a.iid < ${belowIid}
        order by a.iid desc limit ${limit}
      ) c cross join lateral (select * from alerts where id = c.chosen offset 0) a ${namesOfAlert} order by a.iid desc`,
  );
}

/** How many alerts, the newest first, are searched for new ones; as many as a search reads. */
const MAX_ARRIVED = 50_000;

/** Counts the alerts of a filter above an iid, and returns the highest iid of all that were read. */
export function countArrived(db: Queries, projectId: number, filter: AlertFilter, aboveIid: number) {
  return db.one(
    row({ n: integer, last: nullable(integer) }),
    sql`select count(*) filter (where ${conditions(projectId, filter)}) as n, max(iid) as last
      from (select * from alerts where project_id = ${projectId} and iid > ${aboveIid}
        order by iid desc limit ${MAX_ARRIVED}) a`,
  );
}

/** Returns the highest iid of the alerts of each of these projects. */
export function findLastNumbers(db: Queries, projectIds: readonly number[]) {
  return db.many(
    row({ projectId: integer, last: integer }),
    sql`select project_id, last from project_counters where kind = 'alert' and project_id = any (${projectIds}::bigint[])`,
  );
}
