/** Keeps two years of events: makes the months to come and drops those that are over (spec: Events 4). */
import type { Platform } from "../platform/platform.ts";
import {
  deleteOldDeliveries,
  deleteOldKeys,
  dropPartition,
  listOldPartitions,
  makePartitions,
} from "./store-partitions.ts";

/** Months made ahead: a sweep that fails for a quarter of a year loses nothing. */
const MONTHS_AHEAD = 3;

/** What a sweep did. */
export interface SweptEvents {
  made: number;
  dropped: string[];
}

export async function sweepEvents({ db }: Pick<Platform, "db">): Promise<SweptEvents> {
  const made = await makePartitions(db.pooled, 0, MONTHS_AHEAD);
  const dropped: string[] = [];
  for (const partition of await listOldPartitions(db)) {
    await dropPartition(db, partition);
    dropped.push(partition.name);
  }
  await deleteOldKeys(db.pooled);
  await deleteOldDeliveries(db.pooled);
  return { made, dropped };
}

/** The months that a sweep would drop now, oldest first. */
export async function listOverdueMonths({ db }: Pick<Platform, "db">): Promise<string[]> {
  return (await listOldPartitions(db)).map(({ name }) => name);
}
