/** Days of UTC, by which events are counted. */

/** Milliseconds. */
export const DAY_MS = 86_400_000;

/** The beginning of the day. */
export function floorDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
}

/** The beginning of the next day, or the moment itself if a day begins with it. */
export function ceilDay(at: Date): Date {
  return new Date(Math.ceil(at.getTime() / DAY_MS) * DAY_MS);
}

/** The day as `YYYY-MM-DD`. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
