/**
 * Detects that the database's clock, by which everything expires, is behind a time that it showed before, or has jumped ahead of
 * it (decisions 0198 and 0315).
 */
import type { Db, Queries } from "./db.ts";
import type { Platform } from "./platform.ts";
import { Problem } from "./problem.ts";
import { integer, row } from "./row.ts";
import { type Sql, sql } from "./sql.ts";

/** Correcting a clock, or changing from a primary to its replica, sets it back by less than this. */
const MAX_BACK_SECONDS = 60;
/** How far the database's clock may be ahead of this machine's before deletions by age stop. */
const MAX_AHEAD_SECONDS = 3600;
/** How long an answer of `watchClock` is cached. */
const KEPT_MS = 1000;
/** If the time is later than the latest noted one by more, the clock has jumped, or the service did not run. */
const JUMP = sql`interval '1 hour'`;
/** The longest that the service must run after a jump before anything is deleted by age. */
const MAX_UNPROVEN = sql`interval '6 hours'`;
/** The running time that one note counts at most; the notes are ten seconds apart. */
const MAX_STEP = sql`interval '1 minute'`;

/** The database's clock, in seconds. */
export interface ClockState {
  /** How far behind the latest time that was noted. */
  behindSeconds: number;
  /** How far ahead of this machine's clock. */
  aheadSeconds: number;
  /** How much longer the service must run until a time that it jumped to is believed. */
  unprovenSeconds: number;
}

/** Whether expired tokens might be accepted again. */
export function isBehind({ behindSeconds }: Pick<ClockState, "behindSeconds">): boolean {
  return behindSeconds > MAX_BACK_SECONDS;
}

/** Whether data might be deleted before its time, or a wrong time be noted as the latest. */
export function isAhead({ aheadSeconds }: Pick<ClockState, "aheadSeconds">): boolean {
  return aheadSeconds > MAX_AHEAD_SECONDS;
}

/** Whether the clock may have jumped ahead, so that data might be deleted before its time. */
export function isUnproven({ unprovenSeconds }: Pick<ClockState, "unprovenSeconds">): boolean {
  return unprovenSeconds > 0;
}

/** Whether the clock is known to be wrong. */
export function isWrong(clock: ClockState): boolean {
  return isBehind(clock) || isAhead(clock);
}

/** How far the clock is ahead of mark `m`. */
const sinceMark = sql`(clock_timestamp() - m.at)`;

/** A jump adds to what is unproven in proportion, so that also a machine that is switched off every night gets to its deletions. */
const unproven = (otherwise: Sql) =>
  sql`case when ${sinceMark} > ${JUMP} then greatest(m.unproven, least(${sinceMark} / 4, ${MAX_UNPROVEN})) else ${otherwise} end`;

/** @param here the clock of this machine */
export async function findClock(db: Db, here = new Date()): Promise<ClockState> {
  const found = await db.one(
    row({ behindSeconds: integer, aheadSeconds: integer, unprovenSeconds: integer }),
    sql`select coalesce(extract(epoch from m.at - clock_timestamp()), 0)::bigint as behind_seconds,
        extract(epoch from clock_timestamp() - ${here}::timestamptz)::bigint as ahead_seconds,
        coalesce(extract(epoch from ${unproven(sql`m.unproven`)}), 0)::bigint as unproven_seconds
      from (values (true)) as here (one) left join clock_mark m using (one)`,
  );
  return found;
}

/**
 * Notes the database's time if it is the latest, unless it is far ahead of this machine's clock. The time since the note before is
 * running time unless it is a jump; this is counted here, so that all processes agree, and a restart loses none of it.
 */
export async function noteClock({ db, log }: Pick<Platform, "db" | "log">, here = new Date()): Promise<void> {
  const clock = await findClock(db, here);
  if (isBehind(clock)) log.error(clock, BEHIND);
  if (isAhead(clock)) return log.error(clock, "the clock of the database is far ahead of this machine's");
  const counted = sql`greatest(m.unproven - least(${sinceMark}, ${MAX_STEP}), interval '0')`;
  await db.run(
    sql`insert into clock_mark as m (one, at) values (true, clock_timestamp())
      on conflict (one) do update set at = excluded.at, unproven = ${unproven(counted)} where m.at < excluded.at`,
  );
}

/** Notes the current time of the database as right, even if a later one was noted, or it has jumped ahead. */
export async function acceptClock(db: Queries): Promise<void> {
  await db.run(sql`update clock_mark set at = clock_timestamp(), unproven = interval '0'`);
}

/** Returns in words why nothing may be deleted by age at present; undefined: it may. */
export async function findPause(
  db: Db,
  here = new Date(),
): Promise<{ why: string; clock: ClockState } | undefined> {
  const clock = await findClock(db, here);
  if (isWrong(clock)) return { why: WRONG, clock };
  return isUnproven(clock) ? { why: UNPROVEN, clock } : undefined;
}

/** @throws Problem conflict: by this clock nothing may be deleted */
export async function checkPurge(db: Db, here = new Date()): Promise<void> {
  const paused = await findPause(db, here);
  if (paused) throw new Problem("conflict", paused.why);
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

const WRONG =
  "The clock of the database or of this machine is wrong: nothing is deleted by age until it is corrected. Run gatehouse doctor.";
const UNPROVEN =
  "The clock of the database went ahead by more than an hour, or the service was stopped for so long: nothing is deleted by age until the service has run for a quarter of that time, six hours at most. If the time is wrong, correct it until then; if it is right, there is nothing to do, or gatehouse admin accept-clock ends the pause.";
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
