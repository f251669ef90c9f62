/** Days of a time zone as Node.js knows them, for tests that must not depend on the year in which they run. */
import assert from "node:assert/strict";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Days before today that are searched: more than a year, and less than the two years that events are kept. */
const SEARCHED = 700;

export interface ZoneDay {
  /** Its date, and those of its neighbours, as `YYYY-MM-DD`. */
  day: string;
  before: string;
  after: string;
  /** Its first instant, and that of the day after it. */
  begins: Date;
  ends: Date;
}

/**
 * The latest day before yesterday that has so many hours in the zone (IANA name): 23 or 25 where clocks are changed, at any hour
 * but midnight.
 */
export function latestDayOf(zone: string, hours: number): ZoneDay {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
  const dateOf = (at: number) => format.format(at);
  for (let noon = Math.floor(Date.now() / DAY) * DAY - 2.5 * DAY, n = 0; n < SEARCHED; n++, noon -= DAY) {
    const day = new Date(noon).toISOString().slice(0, 10);
    const [begins, ends] = [day, shifted(day, 1)].map((date) => startOf(date, dateOf)) as [number, number];
    if (ends - begins !== hours * HOUR) continue;
    return {
      ...{ day, before: shifted(day, -1), after: shifted(day, 1) },
      ...{ begins: new Date(begins), ends: new Date(ends) },
    };
  }
  return assert.fail(`no day of ${hours} hours in ${zone}`);
}

/** The date so many days later. */
function shifted(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);
}

/** The first instant of the date, to the millisecond, by halving the thirty hours in which every zone has it begin. */
function startOf(day: string, dateOf: (at: number) => string): number {
  let [low, high] = [Date.parse(day) - 15 * HOUR, Date.parse(day) + 15 * HOUR];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (dateOf(middle) >= day) high = middle;
    else low = middle;
  }
  return high;
}
