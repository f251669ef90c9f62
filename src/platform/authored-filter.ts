/** A filter by who opened something and when, and its conditions for every statement that lists such things (decision 0304). */
import { type MaybeSql, type Sql, sql } from "./sql.ts";

/** Who opened something and when, as far as a list asks for it. */
export interface AuthoredFilter {
  authorId?: number | undefined;
  notAuthorId?: number | undefined;
  /** A username, in any case. */
  author?: string | undefined;
  notAuthor?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  updatedAfter?: Date | undefined;
  updatedBefore?: Date | undefined;
}

/** The columns of what is listed, and the statement for the id of a username. */
interface Columns {
  author: Sql;
  created: Sql;
  updated: Sql;
  idOf(username: string): Sql;
}

/** Returns a condition for each member of the filter. */
export function authoredConditions(
  asked: AuthoredFilter,
  { author, created, updated, idOf }: Columns,
): readonly MaybeSql[] {
  return [
    asked.authorId !== undefined && sql`${author} = ${asked.authorId}`,
    asked.notAuthorId !== undefined && sql`${author} is distinct from ${asked.notAuthorId}`,
    asked.author !== undefined && sql`${author} = ${idOf(asked.author)}`,
    // Neither what has no author nor a name that nobody has leaves out anything.
    asked.notAuthor !== undefined && sql`coalesce(${author} <> ${idOf(asked.notAuthor)}, true)`,
    asked.createdAfter && sql`${created} >= ${asked.createdAfter}`,
    asked.createdBefore && sql`${created} <= ${asked.createdBefore}`,
    asked.updatedAfter && sql`${updated} >= ${asked.updatedAfter}`,
    asked.updatedBefore && sql`${updated} <= ${asked.updatedBefore}`,
  ];
}
