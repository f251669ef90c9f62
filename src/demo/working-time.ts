/** When the demo's people work: on weekdays by day, hardly ever on weekends, never in their holidays. */
import type { Actor } from "./cast.ts";
import type { Random } from "./random.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

const FIRST_HOUR = 7;
const LAST_HOUR = 17;
const HOLIDAY_DAYS = 14;
/** The part of weekend days on which people work. */
const WEEKEND_PART = 0.05;

/** The beginning of the day (UTC) of a time, in milliseconds since 1970, as all times of the demo. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY) * DAY;
}

/** When the person joined, if the demo begins at `from`. */
export function arrivalOf(actor: Actor, from: number): number {
  return from + actor.joinsAfterDays * DAY;
}

export function isWeekend(at: number): boolean {
  const weekday = new Date(at).getUTCDay();
  return weekday === 0 || weekday === 6;
}

/** Whether the person is away: two weeks in summer, and from Christmas Eve to New Year's Day. */
export function isAway(actor: Actor, at: number): boolean {
  const date = new Date(at);
  const [month, day] = [date.getUTCMonth(), date.getUTCDate()];
  if ((month === 11 && day >= 24) || (month === 0 && day === 1)) return true;
  const dayOfYear = (dayOf(at) - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY;
  const begin = (actor.holidayWeek - 1) * 7;
  return dayOfYear >= begin && dayOfYear < begin + HOLIDAY_DAYS;
}

/** The time at which the person does something that is due after so many hours: then, or at their next working time. */
export function whenAtWork(random: Random, actor: Actor, after: number, hours: number): number {
  const wanted = after + hours * HOUR;
  if (isAtWork(actor, wanted)) return wanted;
  let day = dayOf(wanted);
  if (wanted - day > FIRST_HOUR * HOUR) day += DAY;
  while (isAway(actor, day) || (isWeekend(day) && !random.chance(WEEKEND_PART))) day += DAY;
  return day + (FIRST_HOUR + random.next() * 3) * HOUR;
}

function isAtWork(actor: Actor, at: number): boolean {
  const hour = (at - dayOf(at)) / HOUR;
  return hour >= FIRST_HOUR && hour < LAST_HOUR && !isWeekend(at) && !isAway(actor, at);
}
