/** The year of a calendar: the 365 days that end with a given day. */
import { DAY_MS, dayOf } from "./utc-day.ts";

const YEAR_OF_DAYS_MS = 364 * DAY_MS;

/** The first of the 365 days that end with this one; not before the year 1, where the database reads no days. */
export function yearBefore(to: string): string {
  const first = dayOf(new Date(Date.parse(to) - YEAR_OF_DAYS_MS));
  return first < "0001" ? "0001-01-01" : first;
}
