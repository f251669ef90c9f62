/** The year of a calendar: the 365 days that end with one of them. */

const YEAR_OF_DAYS_MS = 364 * 86_400_000;

/** The first of the 365 days that end with this one; before the year 1 the database reads no days. */
export function yearBefore(to: string): string {
  const first = new Date(Date.parse(to) - YEAR_OF_DAYS_MS).toISOString().slice(0, 10);
  return first < "0001" ? "0001-01-01" : first;
}
