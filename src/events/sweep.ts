/** Keeps two years of events, fewer where a project says so: makes the months to come and drops those that are over (spec: Events 4). */
import type { Platform } from "../platform/platform.ts";
import { removeOverdue } from "./remove-overdue.ts";
import { settleClaims } from "./settle-claims.ts";
import { deleteOldCommits } from "./store-commits.ts";
import {
  deleteOldDeliveries,
  deleteOldKeys,
  dropPartition,
  listOldPartitions,
  listOverdue,
  makePartitions,
} from "./store-partitions.ts";
import { deleteOldRefusals } from "./store-refusals.ts";

/** Months made ahead: a sweep that fails for a quarter of a year loses nothing. */
const MONTHS_AHEAD = 3;

/** What a sweep did. */
export interface SweptEvents {
  made: number;
  dropped: string[];
  /** Events that their projects keep no longer. */
  removed: number;
}

export async function sweepEvents({ db }: Pick<Platform, "db">): Promise<SweptEvents> {
  const made = await makePartitions(db.pooled, 0, MONTHS_AHEAD);
  const dropped: string[] = [];
  for (const partition of await listOldPartitions(db)) {
    await dropPartition(db, partition);
    dropped.push(partition.name);
  }
  const removed = await removeOverdue({ db });
  await settleClaims({ db });
  await deleteOldKeys(db.pooled);
  await deleteOldCommits(db.pooled);
  await deleteOldDeliveries(db.pooled);
  await deleteOldRefusals(db.pooled);
  return { made, dropped, removed };
}

/** What a sweep would take now. */
export interface OverdueEvents {
  /** Months, oldest first. */
  months: string[];
  /** Events that projects with days of their own keep no longer, most first. */
  projects: { fullPath: string; days: number; n: number }[];
}

/** Looks, and changes nothing. */
export async function findOverdueEvents({ db }: Pick<Platform, "db">): Promise<OverdueEvents> {
  const months = (await listOldPartitions(db)).map(({ name }) => name);
  return { months, projects: await listOverdue(db.pooled) };
}
