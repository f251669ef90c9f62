/**
 * Parses the timestamps that monitoring tools write: RFC 3339, ISO 8601 basic, RFC 2822, Unix time, and those that programs
 * print.
 */

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/**
 * UTC offsets in hours of the zone names of RFC 2822 §4.3, and of other names that `date` prints and that are unique in the
 * time zone database; `IST` may be India, Israel or Ireland, and so is not accepted.
 */
const ZONES: Readonly<Record<string, number>> = {
  ...{ EDT: -4, EST: -5, CDT: -5, CST: -6, MDT: -6, MST: -7, PDT: -7, PST: -8 },
  ...{ AKDT: -8, AKST: -9, HST: -10, WET: 0, WEST: 1, BST: 1, CET: 1, CEST: 2, EET: 2, EEST: 3, MSK: 3 },
  ...{ WAT: 1, CAT: 2, SAST: 2, EAT: 3, PKT: 5, HKT: 8, JST: 9, KST: 9 },
  ...{ AWST: 8, ACST: 9.5, ACDT: 10.5, AEST: 10, AEDT: 11, NZST: 12, NZDT: 13 },
};
const ZONE = String.raw`Z|UTC?|GMT|${Object.keys(ZONES).join("|")}|[+-]\d\d(?::?\d\d)?`;
/** A fraction may have any length (RFC 3339 §5.6); the whole text has at most 96 characters. */
const CLOCK = String.raw`(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?`;
const ISO = new RegExp(String.raw`^(\d{4})-?(\d\d)-?(\d\d)(?:[T ]\s*${CLOCK}\s*(${ZONE})?)?$`, "i");
const MAIL = new RegExp(
  String.raw`^(?:[a-z]{3},\s*)?(\d{1,2}) ([a-z]{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))?\s*(${ZONE})?(?:\s*\([^)]*\))?$`,
  "i",
);
/** What Go prints after the offset: the name of the zone, and the monotonic clock reading. */
const BEHIND_OFFSET = /^(.{19,29} [+-]\d{4}) (?:[a-z]{1,5}|[+-]\d\d(?:\d\d)?)(?: m=[+-]\d+\.\d+)?$/i;
/** Dates that begin with the year are unambiguous with these separators too, as Zabbix and Go write them. */
const YEAR_FIRST = /^(\d{4})([/.])(\d\d)\2(\d\d)(?=[T ]|$)/;
/**
 * Times as printed by C, `date`, Ruby and Go (year after the time of day), and JavaScript (before it). `date` follows the
 * English locale: day before or after the month, year before or after the time, and 12-hour times.
 */
const PRINTED = new RegExp(
  String.raw`^[a-z]{3} {1,2}(?:(\d{1,2}) )?([a-z]{3})(?: {1,2}(\d{1,2}))? (?:(\d{4}) )?(\d\d):(\d\d):(\d\d)(?: ([AP])M)?(?: (?:GMT)?(${ZONE}))?(?: (\d{4}))?(?: \([^)]*\))?$`,
  "i",
);
/** Numbers below this are seconds, above it milliseconds: 1e11 s is the year 5138, 1e11 ms is 1973. */
const FIRST_MILLISECONDS = 1e11;
/** The end of the year 9999 in milliseconds. Larger numbers are microseconds, or if those are too large, nanoseconds. */
const LAST_MILLISECONDS = 253_402_300_799_999;

/**
 * Returns the instant of a value, or undefined. Years before 1970 are rejected, since senders write `0001-01-01T00:00:00Z` for
 * "not yet", and so are years past 9999. A time without an offset is UTC.
 */
export function reportedTime(value: unknown): Date | undefined {
  const milliseconds = typeof value === "number" ? unixTime(value) : textTime(value);
  if (milliseconds === undefined) return undefined;
  const at = new Date(milliseconds);
  const year = at.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? at : undefined;
}

function textTime(value: unknown): number | undefined {
  if (typeof value !== "string" || value.length > 96) return undefined;
  const said = value.trim().replace(YEAR_FIRST, "$1-$3-$4");
  const text = BEHIND_OFFSET.exec(said)?.[1] ?? said;
  if (/^(\d{9,13}(\.\d+)?|\d{16}|\d{19})$/.test(text)) return unixTime(Number(text));
  const iso = ISO.exec(text);
  if (iso) {
    const [, year, month, day, hour, minute, second, fraction = "", zone] = iso;
    const milliseconds = Number(fraction.padEnd(3, "0").slice(0, 3));
    return instantOf([year, month, day, hour, minute, second], milliseconds, zone);
  }
  const mail = MAIL.exec(text);
  if (mail) {
    const [, day, name, year, hour, minute, second, zone] = mail;
    return instantOf([year, monthOf(name), day, hour, minute, second], 0, zone);
  }
  const [, before, name, behind, yearBefore, hour, minute, second, half, zone, yearBehind] =
    PRINTED.exec(text) ?? [];
  if ((before === undefined) === (behind === undefined)) return undefined;
  if ((yearBefore === undefined) === (yearBehind === undefined)) return undefined;
  const date = [yearBefore ?? yearBehind, monthOf(name), before ?? behind];
  return instantOf([...date, half ? hourOf(hour, half) : hour, minute, second], 0, zone);
}

/** Returns the hour from 0 to 23 for one from 1 to 12 with AM or PM; the invalid 99 for any other. */
function hourOf(hour: string | undefined, half: string): string {
  const given = Number(hour);
  if (given < 1 || given > 12) return "99";
  return String((given % 12) + (half.toLowerCase() === "p" ? 12 : 0));
}

/** Returns the month from 1 to 12; the invalid 0 for an unknown name. */
function monthOf(name = ""): string {
  return String(MONTHS.indexOf(name.toLowerCase()) + 1);
}

function unixTime(value: number): number | undefined {
  if (value < FIRST_MILLISECONDS) return value < 0 ? undefined : value * 1000;
  const factor = [1, 1000, 1_000_000].find((each) => value / each <= LAST_MILLISECONDS);
  return factor && Math.trunc(value / factor);
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
  // 24:00 is the midnight that ends a day (ISO 8601), and second 60 a leap second, which becomes the next instant.
  const isEnd = hour === 24 && minute === 0 && second === 0 && milliseconds === 0;
  if ((hour > 23 && !isEnd) || minute > 59 || second > 60) return undefined;
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  // `setUTCFullYear` moves a day that the month does not have into another month.
  if (date.getUTCMonth() !== month - 1) return undefined;
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
