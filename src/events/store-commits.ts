/** Statements about the commits of pushes. */
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { instant, integer, jsonb, nullable, row } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import type { PushedCommit } from "./commit.ts";

/** The key of an event. */
interface Place {
  id: number;
  createdAt: Date;
}

/** Inserts the commits of pushes. */
export function insertCommits(
  db: Queries,
  pushes: readonly (Place & { commits: readonly PushedCommit[] })[],
): Promise<number> {
  const records = pushes.map(({ id, createdAt, commits }) => ({ id, created_at: createdAt, commits }));
  return db.run(
    sql`insert into event_commits (created_at, event_id, commits)
      select created_at, id, commits
      from json_to_recordset(${json(records)}) as r (id bigint, created_at timestamptz(3), commits jsonb)`,
  );
}

/** The commits of these events, for those that have any. */
export function listCommits(db: Queries, events: readonly Place[]) {
  const ids = events.map(({ id }) => id);
  const moments = events.map(({ createdAt }) => createdAt.toISOString());
  return db.many(
    row({ eventId: integer, commits: jsonb<readonly PushedCommit[]>() }),
    sql`select c.event_id, c.commits from unnest(${moments}::timestamptz[], ${ids}::bigint[]) as e (created_at, id)
      join event_commits c on c.created_at = e.created_at and c.event_id = e.id`,
  );
}

/**
 * Removes these names as authors from some of the commits in other people's pushes, after the place; returns the last place
 * examined, null at the end.
 */
export async function forgetCommitAuthors(
  db: Queries,
  names: readonly string[],
  after: Place,
  most: number,
): Promise<Place | null> {
  const { createdAt, id } = await db.one(
    row({ createdAt: nullable(instant), id: nullable(integer) }),
    sql`select after_at as created_at, after_id as id
      from forget_some_commit_authors(${names}::text[], ${after.createdAt}, ${after.id}, ${most}::integer)`,
  );
  return createdAt && id !== null ? { createdAt, id } : null;
}

/** Deletes some commits of months that are dropped. */
export function deleteOldCommits(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`event_commits`, sql`created_at < now() - interval '2 years 1 day'`, most);
}
