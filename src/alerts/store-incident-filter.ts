/** The condition of a filter of incidents, for every statement that searches them. */
import { authoredConditions } from "../platform/authored-filter.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import type { IncidentFilter } from "./incident.ts";

const COLUMNS = {
  author: sql`author_id`,
  created: sql`created_at`,
  updated: sql`updated_at`,
  idOf: (username: string) => sql`(select u.id from users u where lower(u.username) = lower(${username}))`,
};

/** Whether an incident matches what a filter asks for beside its state and number. */
export function isFound(asked: IncidentFilter): Sql {
  return joinSql(
    [
      sql`true`,
      asked.search && sql`strpos(lower(${searchedIn(asked)}), lower(${asked.search})) > 0`,
      asked.notIids && sql`iid <> all (${asked.notIids}::bigint[])`,
      ...authoredConditions(asked, COLUMNS),
    ],
    " and ",
  );
}

function searchedIn({ searchIn = [] }: IncidentFilter): Sql {
  const [one, another] = new Set(searchIn);
  if (one === undefined || another !== undefined) return sql`title || ' ' || description`;
  return one === "title" ? sql`title` : sql`description`;
}
