/** Parses timestamps from outside. */

const FORM =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * Parses an ISO 8601 date or timestamp, extended or basic, cut to milliseconds; without an offset it is UTC. 24:00 and a leap
 * second mean the instant that follows. Undefined: it is not a timestamp.
 */
export function parseInstant(text: string): Date | undefined {
  const match = FORM.exec(text.trim());
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const at = new Date(0);
  at.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day);
  const isDay = at.getUTCMonth() === (month ?? 0) - 1 && at.getUTCDate() === day;
  const isEnd = hour === 24 && minute === 0 && second === 0 && !Number(match[7] ?? 0);
  const isTime = (hour ?? 0) <= 23 && (minute ?? 0) <= 59 && (second ?? 0) <= (minute === 59 ? 60 : 59);
  if (!isDay || !(isTime || isEnd)) return undefined;
  at.setUTCHours(hour ?? 0, minute, second, Number((match[7] ?? "").padEnd(3, "0").slice(0, 3)));
  const offset = offsetMinutes(match[8]);
  return offset === undefined ? undefined : new Date(at.getTime() - offset * 60_000);
}

function offsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || /^(z|utc)$/i.test(zone)) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(":", "") || 0)];
  if (hours > 15 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
