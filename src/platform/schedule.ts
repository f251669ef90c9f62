/** Timed work of which, over all processes on one database, one copy runs at a time. */
import { checkPurge } from "./clock-mark.ts";
import type { Db } from "./db.ts";
import type { Platform } from "./platform.ts";
import { boolean, row } from "./row.ts";
import { sql } from "./sql.ts";

/** Work that comes back by itself. */
export interface Job {
  /** Under which the processes agree whose turn it is: no two jobs share one. */
  name: string;
  everySeconds: number;
  /** Throws away what has its time behind it, which is left until the clock is right. */
  purges?: true;
  run(platform: Platform): Promise<unknown>;
}

/** A job that rests longer than this may take long, and never keeps the others waiting. */
const OFTEN_SECONDS = 60;
/** Jobs that run at once; each holds a connection and works on another, so that all of them fit into the pool. */
const OFTEN_AT_ONCE = 3;
const SELDOM_AT_ONCE = 1;

/** The database ends a transaction that says nothing for 20 seconds, and its lock with it. */
const AWAKE_EVERY_MS = 5000;

/** Starts the jobs; the first run comes soon after. Returns how to stop them. */
export function startJobs(
  platform: Platform,
  jobs: readonly Job[],
  awakeEveryMs = AWAKE_EVERY_MS,
): () => void {
  const often = createLane(OFTEN_AT_ONCE);
  const seldom = createLane(SELDOM_AT_ONCE);
  const timers = jobs.map((job) => {
    const lane = job.everySeconds < OFTEN_SECONDS ? often : seldom;
    let running = false;
    const tick = async () => {
      if (running) return;
      running = true;
      try {
        await lane(
          async () =>
            void (await runAlone(platform.db, job.name, () => runChecked(platform, job), awakeEveryMs)),
        );
      } catch (error) {
        platform.log.error({ err: error, job: job.name }, "job failed");
      } finally {
        running = false;
      }
    };
    const first = setTimeout(tick, 1000).unref();
    const timer = setInterval(tick, job.everySeconds * 1000).unref();
    return { first, timer };
  });
  return () => {
    for (const { first, timer } of timers) {
      clearTimeout(first);
      clearInterval(timer);
    }
  };
}

async function runChecked(platform: Platform, job: Job): Promise<unknown> {
  if (job.purges) await checkPurge(platform.db);
  return job.run(platform);
}

/**
 * Works under an advisory lock, however long it takes; false, and nothing done, while another process holds it. A process
 * that stands still says nothing, so that another one may have the lock soon.
 */
export async function runAlone(
  db: Db,
  name: string,
  work: () => Promise<unknown>,
  awakeEveryMs = AWAKE_EVERY_MS,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { taken } = await tx.one(
      row({ taken: boolean }),
      sql`select pg_try_advisory_xact_lock(hashtextextended(${`gatehouse job ${name}`}, 0)) as taken`,
    );
    if (!taken) return false;
    // The lock is held by this transaction while the job works on connections of its own.
    const timer = setInterval(() => {
      // Whoever waits for the end of the transaction hears of what failed.
      tx.run(sql`select 1`).catch(() => {});
    }, awakeEveryMs).unref();
    try {
      await work();
      return true;
    } finally {
      clearInterval(timer);
    }
  });
}

/** Lets at most `room` works run at once; the others wait their turn. */
function createLane(room: number): (work: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let free = room;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
