/** Days of the past at fixed hours, for tests that must not depend on the year in which they run: events are kept for two years. */

/** The UTC day so many days before today, at a time of day such as `04:05:06.789`. */
export function daysAgo(days: number, time = "00:00:00.000"): Date {
  const day = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  return new Date(`${day}T${time}Z`);
}
