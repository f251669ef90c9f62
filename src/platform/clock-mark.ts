/** Whether the database's clock, by which everything expires, is behind a time that it showed before (decision 0198). */
import type { Db } from "./db.ts";
import type { Platform } from "./platform.ts";
import { Problem } from "./problem.ts";
import { integer, row } from "./row.ts";
import { sql } from "./sql.ts";

/** Clocks that are set right, and those of a primary and its replica, differ by less. */
const MOST_BACK_SECONDS = 60;
/** How far the database's clock may be ahead of this machine's before nothing is thrown away by it. */
const MOST_AHEAD_SECONDS = 3600;
/** How long an answer holds. */
const KEPT_MS = 1000;

/** The database's clock, in seconds: how far behind the latest time that it told, and how far ahead of another clock. */
export interface ClockState {
  behindSeconds: number;
  aheadSeconds: number;
}

/** Whether tokens that are over might count again. */
export function isBehind({ behindSeconds }: Pick<ClockState, "behindSeconds">): boolean {
  return behindSeconds > MOST_BACK_SECONDS;
}

/** Whether what has its time before it might be thrown away, or a wrong time be taken for the latest. */
export function isAhead({ aheadSeconds }: Pick<ClockState, "aheadSeconds">): boolean {
  return aheadSeconds > MOST_AHEAD_SECONDS;
}

/** @param here the clock of this machine */
export async function findClock(db: Db, here = new Date()): Promise<ClockState> {
  const found = await db.one(
    row({ behindSeconds: integer, aheadSeconds: integer }),
    sql`select coalesce(extract(epoch from (select at from clock_mark) - clock_timestamp()), 0)::bigint as behind_seconds,
      extract(epoch from clock_timestamp() - ${here}::timestamptz)::bigint as ahead_seconds`,
  );
  return found;
}

/** Notes the time as the latest, if it is, and this machine's clock does not call it wrong. */
export async function noteClock({ db, log }: Pick<Platform, "db" | "log">, here = new Date()): Promise<void> {
  const clock = await findClock(db, here);
  if (isBehind(clock)) log.error(clock, BEHIND);
  if (isAhead(clock)) return log.error(clock, "the clock of the database is far ahead of this machine's");
  await db.run(
    sql`insert into clock_mark (one, at) values (true, clock_timestamp())
      on conflict (one) do update set at = excluded.at where clock_mark.at < excluded.at`,
  );
}

/** The time that the database tells now is right, and the later one that it told was not. */
export async function acceptClock(db: Db): Promise<void> {
  await db.run(sql`update clock_mark set at = clock_timestamp()`);
}

/** @throws Problem conflict: by this clock nothing may be thrown away */
export async function checkPurge(db: Db, here = new Date()): Promise<void> {
  const clock = await findClock(db, here);
  if (!isBehind(clock) && !isAhead(clock)) return;
  throw new Problem(
    "conflict",
    "The clock of the database is wrong, or this machine's: nothing is thrown away by it. Look at gatehouse doctor.",
  );
}

/** Tells whether it is behind, as of the last second; where the database cannot be asked, what it said last. */
export function watchClock(db: Db, keptMs = KEPT_MS): () => Promise<boolean> {
  let asked: { at: number; answer: Promise<boolean> } | undefined;
  let known = false;
  const ask = async () => {
    known = await findClock(db).then(isBehind, () => known);
    return known;
  };
  return () => {
    const now = performance.now();
    if (!asked || now - asked.at >= keptMs) asked = { at: now, answer: ask() };
    return asked.answer;
  };
}

const BEHIND =
  "the clock of the database has gone back: no token and no session counts until it has caught up";

/**
 * Asked before anything counts that expires.
 * @throws Problem unavailable: what is over by the latest time might not be over by the clock of now
 */
export async function checkClock(platform: Pick<Platform, "isClockBehind">): Promise<void> {
  if (!(await platform.isClockBehind?.())) return;
  throw new Problem(
    "unavailable",
    "The clock of the database has gone back. No token and no session counts until it has caught up.",
    { log: BEHIND, retryAfterSeconds: 30 },
  );
}
