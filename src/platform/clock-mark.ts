/** Detects that the database's clock, by which everything expires, is behind a time that it showed before (decision 0198). */
import type { Db, Queries } from "./db.ts";
import type { Platform } from "./platform.ts";
import { Problem } from "./problem.ts";
import { integer, row } from "./row.ts";
import { sql } from "./sql.ts";

/** Correcting a clock, or changing from a primary to its replica, sets it back by less than this. */
const MAX_BACK_SECONDS = 60;
/** How far the database's clock may be ahead of this machine's before deletions by age stop. */
const MAX_AHEAD_SECONDS = 3600;
/** How long an answer of `watchClock` is cached. */
const KEPT_MS = 1000;

/** The database's clock, in seconds: how far behind the latest time that was noted, and how far ahead of this machine's clock. */
export interface ClockState {
  behindSeconds: number;
  aheadSeconds: number;
}

/** Whether expired tokens might be accepted again. */
export function isBehind({ behindSeconds }: Pick<ClockState, "behindSeconds">): boolean {
  return behindSeconds > MAX_BACK_SECONDS;
}

/** Whether data might be deleted before its time, or a wrong time be noted as the latest. */
export function isAhead({ aheadSeconds }: Pick<ClockState, "aheadSeconds">): boolean {
  return aheadSeconds > MAX_AHEAD_SECONDS;
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

/** Notes the database's time if it is the latest, unless it is far ahead of this machine's clock. */
export async function noteClock({ db, log }: Pick<Platform, "db" | "log">, here = new Date()): Promise<void> {
  const clock = await findClock(db, here);
  if (isBehind(clock)) log.error(clock, BEHIND);
  if (isAhead(clock)) return log.error(clock, "the clock of the database is far ahead of this machine's");
  await db.run(
    sql`insert into clock_mark (one, at) values (true, clock_timestamp())
      on conflict (one) do update set at = excluded.at where clock_mark.at < excluded.at`,
  );
}

/** Notes the current time of the database as right, even if a later one was noted. */
export async function acceptClock(db: Queries): Promise<void> {
  await db.run(sql`update clock_mark set at = clock_timestamp()`);
}

/** @throws Problem conflict: by this clock nothing may be deleted */
export async function checkPurge(db: Db, here = new Date()): Promise<void> {
  const clock = await findClock(db, here);
  if (!isBehind(clock) && !isAhead(clock)) return;
  throw new Problem(
    "conflict",
    "The clock of the database or of this machine is wrong: nothing is deleted by age until it is corrected. Run gatehouse doctor.",
  );
}

/**
 * Returns a function that says whether the clock is behind, cached for a second. If the database cannot be asked, the last answer
 * holds.
 */
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
  "the clock of the database has gone back: no token or session is accepted until it has caught up";

/**
 * Called before a token or session is accepted.
 * @throws Problem unavailable: what had expired by the latest noted time might not be expired by the current one
 */
export async function checkClock(platform: Pick<Platform, "isClockBehind">): Promise<void> {
  if (!(await platform.isClockBehind?.())) return;
  throw new Problem(
    "unavailable",
    "The clock of the database has gone back. No token or session is accepted until it has caught up.",
    { log: BEHIND, retryAfterSeconds: 30 },
  );
}
