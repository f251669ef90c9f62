/** Finds the commits of the pushes of a list, if the request asks for them. */
import type { Queries } from "../platform/db.ts";
import type { PushedCommit } from "./commit.ts";
import type { Event } from "./event.ts";
import { listCommits } from "./store-commits.ts";

/** By event id; nothing is read if nobody asks for commits or there are no pushes. */
export type FoundCommits = ReadonlyMap<number, readonly PushedCommit[]>;

/** Pushes whose sender listed no commits are not in the result. */
export async function findCommits(
  db: Queries,
  events: readonly Event[],
  include: readonly string[] = [],
): Promise<FoundCommits> {
  const pushes = include.includes("commits") ? events.filter(({ pushData }) => pushData !== null) : [];
  if (pushes.length === 0) return new Map();
  const found = await listCommits(db, pushes);
  return new Map(found.map(({ eventId, commits }) => [eventId, commits]));
}
