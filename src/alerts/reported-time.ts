/** Reads the instants that monitoring tools write: RFC 3339, ISO 8601 basic, RFC 2822, and Unix time. */

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const ISO =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ]\s*(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i;
const MAIL =
  /^(?:[a-z]{3},\s*)?(\d{1,2}) ([a-z]{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))?\s*(Z|UT|UTC|GMT|[ECMP][SD]T|[+-]\d{4})?(?:\s*\([^)]*\))?$/i;
/** Hours of the zones that RFC 2822 §4.3 knows by name. */
const ZONES: Readonly<Record<string, number>> = {
  ...{ EDT: -4, EST: -5, CDT: -5, CST: -6, MDT: -6, MST: -7, PDT: -7, PST: -8 },
};
/** Numbers below this are seconds, above it milliseconds: 1e11 s is the year 5138, 1e11 ms is 1973. */
const FIRST_MILLISECONDS = 1e11;

/**
 * The instant that a value names, or undefined when it names none. Years before 1970 count as none, for senders
 * write `0001-01-01T00:00:00Z` for "not yet"; so do years past 9999. Without an offset a time is UTC.
 */
export function reportedTime(value: unknown): Date | undefined {
  const milliseconds = typeof value === "number" ? unixTime(value) : textTime(value);
  if (milliseconds === undefined || !Number.isFinite(milliseconds)) return undefined;
  const at = new Date(milliseconds);
  const year = at.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? at : undefined;
}

function textTime(value: unknown): number | undefined {
  if (typeof value !== "string" || value.length > 64) return undefined;
  const text = value.trim();
  if (/^\d{9,13}(\.\d+)?$/.test(text)) return unixTime(Number(text));
  const iso = ISO.exec(text);
  if (iso) {
    const [, year, month, day, hour, minute, second, fraction = "", zone] = iso;
    const milliseconds = Number(fraction.padEnd(3, "0").slice(0, 3));
    return instantOf([year, month, day, hour, minute, second], milliseconds, zone);
  }
  const mail = MAIL.exec(text);
  if (!mail) return undefined;
  const [, day, name = "", year, hour, minute, second, zone] = mail;
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  return month === 0 ? undefined : instantOf([year, String(month), day, hour, minute, second], 0, zone);
}

function unixTime(value: number): number | undefined {
  return value < 0 ? undefined : value < FIRST_MILLISECONDS ? value * 1000 : value;
}

function instantOf(
  parts: readonly (string | undefined)[],
  milliseconds: number,
  zone: string | undefined,
): number | undefined {
  const [year, month, day, hour, minute, second] = parts.map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  // 60 is a leap second, which the instant after it stands for.
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds;
}

function offsetMinutes(zone: string | undefined): number | undefined {
  const signed = /^([+-])(\d\d):?(\d\d)?$/.exec(zone ?? "");
  if (!signed) return (ZONES[zone?.toUpperCase() ?? ""] ?? 0) * 60;
  const [hours, minutes] = [Number(signed[2]), Number(signed[3] ?? 0)];
  if (hours > 23 || minutes > 59) return undefined;
  return (signed[1] === "-" ? -1 : 1) * (hours * 60 + minutes);
}
