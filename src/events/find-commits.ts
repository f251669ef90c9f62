/** Finds the commits of the pushes of a list, for those who ask for them. */
import type { Queries } from "../platform/db.ts";
import type { PushedCommit } from "./commit.ts";
import type { Event } from "./event.ts";
import { listCommits } from "./store-commits.ts";

/** By number of the event; nothing is read when nobody asks or nothing was pushed. */
export type FoundCommits = ReadonlyMap<number, readonly PushedCommit[]>;

/** Pushes whose sender named no commits are not among them. */
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
