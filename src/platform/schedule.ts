/** Scheduled jobs, each of which runs in one process at a time, over all processes of one database. */
import { setTimeout as pause } from "node:timers/promises";
import { findPause, isWrong } from "./clock-mark.ts";
import type { Db } from "./db.ts";
import { logFailure, noteReached } from "./outage.ts";
import type { Platform } from "./platform.ts";
import { boolean, row } from "./row.ts";
import { sql } from "./sql.ts";
import { createTurns } from "./turns.ts";

/** A job that is repeated. */
export interface Job {
  /** The name of the job's lock, which must be unique. */
  name: string;
  everySeconds: number;
  /**
   * Deletes by age, so it does not run while the clock is wrong; `by a proven clock`: nor after a jump ahead, which may also have
   * been a long stop (decision 0315).
   */
  purges?: "by a right clock" | "by a proven clock";
  run(platform: Platform): Promise<unknown>;
}

/** A job with a longer interval may take long, so it must not block the frequent ones. */
const OFTEN_SECONDS = 60;
/** How many jobs run at once; each uses two connections, one for its lock and one for its work, so that all fit into the pool. */
const OFTEN_AT_ONCE = 3;
const SELDOM_AT_ONCE = 1;

/** The database ends a transaction that is idle for 20 seconds, and its lock with it. */
const AWAKE_EVERY_MS = 5000;

/** Starts the jobs, the first run after a second. Returns a function that stops them. */
export function startJobs(
  platform: Platform,
  jobs: readonly Job[],
  awakeEveryMs = AWAKE_EVERY_MS,
): () => void {
  const often = createTurns(OFTEN_AT_ONCE);
  const seldom = createTurns(SELDOM_AT_ONCE);
  const timers = jobs.map((job) => {
    const turns = job.everySeconds < OFTEN_SECONDS ? often : seldom;
    let running = false;
    const tick = async () => {
      if (running) return;
      running = true;
      try {
        const run = () => runChecked(platform, job);
        await turns.take(() => runAlone(platform.db, job.name, run, awakeEveryMs));
        noteReached(platform);
      } catch (error) {
        logFailure(platform, error, "job failed", { job: job.name });
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
  if (job.purges && (await isPaused(platform, job.purges))) return;
  return job.run(platform);
}

/** Why the jobs that purge a database are paused, as was logged. */
const pauses = new WeakMap<Db, string>();

/** Whether nothing may be purged, which is logged once, however many jobs wait and however often. */
async function isPaused({ db, log }: Platform, purges: NonNullable<Job["purges"]>): Promise<boolean> {
  const pause = await findPause(db);
  const said = pauses.get(db);
  if (pause) {
    if (pause.why !== said) log.warn(pause.clock, pause.why);
    pauses.set(db, pause.why);
    return purges === "by a proven clock" || isWrong(pause.clock);
  }
  if (pauses.delete(db)) log.warn("old data is deleted again");
  return false;
}

/**
 * Runs `work` under an advisory lock, however long it takes, and returns its result; undefined, without running it, if another
 * process holds the lock. A process that hangs sends no keep-alive, so that another one soon gets the lock.
 */
export async function runAlone<T>(
  db: Db,
  name: string,
  work: () => Promise<T>,
  awakeEveryMs = AWAKE_EVERY_MS,
): Promise<{ result: T } | undefined> {
  return db.transaction(async (tx) => {
    const { taken } = await tx.one(
      row({ taken: boolean }),
      sql`select pg_try_advisory_xact_lock(hashtextextended(${`gatehouse job ${name}`}, 0)) as taken`,
    );
    if (!taken) return undefined;
    // This transaction holds the lock while the job works on connections of its own.
    const timer = setInterval(() => {
      // A failure is reported at the end of the transaction.
      tx.run(sql`select 1`).catch(() => {});
    }, awakeEveryMs).unref();
    try {
      return { result: await work() };
    } finally {
      clearInterval(timer);
    }
  });
}

/** How long to wait before asking for the lock again. */
const ASK_AGAIN_MS = 200;

/** Runs `work` under the same lock as soon as no other process holds it, and returns its result. */
export async function runInTurn<T>(db: Db, name: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const done = await runAlone(db, name, work);
    if (done) return done.result;
    await pause(ASK_AGAIN_MS);
  }
}
