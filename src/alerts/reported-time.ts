/** Reads the instants that monitoring tools write: RFC 3339, ISO 8601 basic, RFC 2822, Unix time, and as programs print them. */

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const ISO =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ]\s*(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i;
const MAIL =
  /^(?:[a-z]{3},\s*)?(\d{1,2}) ([a-z]{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))?\s*(Z|UT|UTC|GMT|[ECMP][SD]T|[+-]\d{4})?(?:\s*\([^)]*\))?$/i;
/** What Go prints behind a time with its offset: the name of the zone, and how long the program ran. */
const BEHIND_OFFSET = /^(.{19,29} [+-]\d{4}) (?:[a-z]{1,5}|[+-]\d\d(?:\d\d)?)(?: m=[+-]\d+\.\d+)?$/i;
/** As C, `date`, Ruby and Go (year behind the clock), and JavaScript (before it) print a time. */
const PRINTED =
  /^[a-z]{3} ([a-z]{3}) {1,2}(\d{1,2}) (?:(\d{4}) )?(\d\d):(\d\d):(\d\d)(?: (?:GMT)?(Z|UTC|GMT|[ECMP][SD]T|[+-]\d{4}))?(?: (\d{4}))?(?: \([^)]*\))?$/i;
/** Hours of the zones that RFC 2822 §4.3 knows by name. */
const ZONES: Readonly<Record<string, number>> = {
  ...{ EDT: -4, EST: -5, CDT: -5, CST: -6, MDT: -6, MST: -7, PDT: -7, PST: -8 },
};
/** Numbers below this are seconds, above it milliseconds: 1e11 s is the year 5138, 1e11 ms is 1973. */
const FIRST_MILLISECONDS = 1e11;
/** The end of the year 9999. Numbers past it are microseconds, those past it as such nanoseconds. */
const LAST_MILLISECONDS = 253_402_300_799_999;

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
  if (typeof value !== "string" || value.length > 96) return undefined;
  const said = value.trim();
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
  const [, name, day, before, hour, minute, second, zone, behind] = PRINTED.exec(text) ?? [];
  if ((before === undefined) === (behind === undefined)) return undefined;
  return instantOf([before ?? behind, monthOf(name), day, hour, minute, second], 0, zone);
}

/** 1 to 12; what is no month is 0, which no date has. */
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
  // 24:00 is the midnight that ends a day (ISO 8601), and 60 a leap second, which the instant after it stands for.
  const isEnd = hour === 24 && minute === 0 && second === 0 && milliseconds === 0;
  if ((hour > 23 && !isEnd) || minute > 59 || second > 60) return undefined;
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
