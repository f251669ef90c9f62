/**
 * Keeps two years of events, or fewer where a project says so: creates coming months and drops those that are over (spec: Events
 * 4).
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "../platform/db.ts";
import { isLockTimeout } from "../platform/db-errors.ts";
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { removeOverdue } from "./remove-overdue.ts";
import { settleClaims } from "./settle-claims.ts";
import { deleteOldCommits } from "./store-commits.ts";
import {
  deleteOldDeliveries,
  deleteOldKeys,
  detachPartition,
  dropPartition,
  listOldPartitions,
  listOverdue,
  makePartitions,
} from "./store-partitions.ts";
import { deleteOldRefusals } from "./store-refusals.ts";

/** Months created ahead: if sweeps fail for a quarter of a year, nothing is lost. */
const MONTHS_AHEAD = 3;

/** The name of the sweep's job. */
export const EVENTS_JOB = "events";

/** What a sweep did. */
export interface SweptEvents {
  made: number;
  dropped: string[];
  /** Events that their projects no longer keep. */
  removed: number;
}

/**
 * @throws Problem unavailable, after all else is done: somebody had locked the tables, so the months wait for the next sweep; or what
 *   settling claims threw
 */
export async function sweepEvents({ db, owner = db }: Pick<Platform, "db" | "owner">): Promise<SweptEvents> {
  const [months] = await Promise.allSettled([turnMonths(owner)]);
  const removed = await removeOverdue({ db });
  // After an outage of weeks there is more than one statement can delete in its time.
  await inPortions((most) => deleteOldKeys(db.pooled, most), { portion: 10_000 });
  await inPortions((most) => deleteOldCommits(db.pooled, most), { portion: 10_000 });
  // These rows have bodies, which may be megabytes.
  await inPortions((most) => deleteOldDeliveries(db.pooled, most), { portion: 500 });
  await inPortions((most) => deleteOldRefusals(db.pooled, most), { portion: 500 });
  // Last, since an identity may have millions of events: what times out here is tried again, and nothing waits behind it.
  const [claims] = await Promise.allSettled([settleClaims({ db })]);
  if (months.status === "rejected") throw months.reason;
  if (claims.status === "rejected") throw claims.reason;
  return { ...months.value, removed };
}

async function turnMonths(db: Db): Promise<Pick<SweptEvents, "made" | "dropped">> {
  const made = await betweenReaders(() => makePartitions(db, 0, MONTHS_AHEAD));
  const dropped: string[] = [];
  for (const partition of await listOldPartitions(db)) {
    // Not repeated, since it waits longer than the other steps and blocks nobody.
    if (partition.attached) await detachPartition(db, partition).catch(rethrowLockTimeout);
    await betweenReaders(() => dropPartition(db, partition.name));
    dropped.push(partition.name);
  }
  return { made, dropped };
}

const TRIES = 5;
const PAUSE_MS = 1000;

/** Tries several times to lock the tables for a moment (decision 0163). */
async function betweenReaders<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) || attempt >= TRIES) rethrowLockTimeout(error);
    }
    await pause(PAUSE_MS);
  }
}

/** Rethrows an error; if the wait for a lock timed out, as one that says what may hold the tables. */
function rethrowLockTimeout(error: unknown): never {
  throw isLockTimeout(error) ? new Problem("unavailable", HELD, { cause: error }) : error;
}

const HELD =
  "Months of events wait to be made or dropped: somebody reads all tables at this moment, as a backup does. The next sweep tries again.";

/** What a sweep would remove now. */
export interface OverdueEvents {
  /** Months, oldest first. */
  months: string[];
  /** Events that projects with days of their own no longer keep, most first. */
  projects: { fullPath: string; days: number; n: number }[];
}

/** Only reads, and changes nothing. */
export async function findOverdueEvents({ db }: Pick<Platform, "db">): Promise<OverdueEvents> {
  const months = (await listOldPartitions(db)).map(({ name }) => name);
  return { months, projects: await listOverdue(db.pooled) };
}
