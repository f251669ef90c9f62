/** The condition of a filter of incidents, for every statement that searches them. */
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import type { IncidentFilter } from "./incident.ts";

/** Whether an incident matches what a filter asks for beside its state and number. */
export function isFound(asked: IncidentFilter): Sql {
  return joinSql(
    [
      sql`true`,
      ...(asked.search ? [sql`strpos(lower(${searchedIn(asked)}), lower(${asked.search})) > 0`] : []),
      ...(asked.notIids ? [sql`iid <> all (${asked.notIids}::bigint[])`] : []),
      ...(asked.authorId === undefined ? [] : [sql`author_id = ${asked.authorId}`]),
      ...(asked.notAuthorId === undefined ? [] : [sql`author_id is distinct from ${asked.notAuthorId}`]),
      ...(asked.author === undefined ? [] : [sql`author_id = ${idOf(asked.author)}`]),
      // Neither an incident without an author nor a name that nobody has leaves out anything.
      ...(asked.notAuthor === undefined ? [] : [sql`coalesce(author_id <> ${idOf(asked.notAuthor)}, true)`]),
      ...(asked.createdAfter ? [sql`created_at >= ${asked.createdAfter}`] : []),
      ...(asked.createdBefore ? [sql`created_at <= ${asked.createdBefore}`] : []),
      ...(asked.updatedAfter ? [sql`updated_at >= ${asked.updatedAfter}`] : []),
      ...(asked.updatedBefore ? [sql`updated_at <= ${asked.updatedBefore}`] : []),
    ],
    " and ",
  );
}

function searchedIn({ searchIn = [] }: IncidentFilter): Sql {
  const [one, another] = new Set(searchIn);
  if (one === undefined || another !== undefined) return sql`title || ' ' || description`;
  return one === "title" ? sql`title` : sql`description`;
}

const idOf = (username: string) =>
  sql`(select u.id from users u where lower(u.username) = lower(${username}))`;
