/** The end of a membership as it is written: a day, whose beginning (UTC) counts, or an instant. */
import { parseDay } from "../platform/parameters.ts";

/**
 * `2027-03-01`, `2027-03-01T12:00:00+01:00`, `2027-03-01T11:00` (UTC); cut to milliseconds.
 * Undefined for anything that is not a real moment.
 */
export function parseExpiry(written: string): Date | undefined {
  const text = written.trim();
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/i.exec(
    text,
  );
  const [, day = "", time = "00:00:00", offset = "Z"] = match ?? [];
  if (parseDay(day) === undefined) return undefined;
  const zone = /^z$/i.test(offset) ? "Z" : offset.replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2");
  const instant = new Date(`${day}T${time.length === 5 ? `${time}:00` : time}${zone}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
