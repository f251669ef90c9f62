/** The query parameters of lists of events, and their conversion to a filter. */
import { parseInstant } from "../platform/instant.ts";
import { pageParameters } from "../platform/pagination.ts";
import { ParameterProblem } from "../platform/problem.ts";
import Type, { type Static } from "../platform/schema.ts";
import { zoneOfDatabase } from "../platform/time-zone.ts";
import { ACTIONS } from "./event.ts";
import { ABSENT_TARGETS, type EventFilter, TARGET_FILTERS } from "./filter.ts";

const MAX_WORDS = 50;
const actions = Type.Enum(ACTIONS);
const targets = Type.Enum([...TARGET_FILTERS, ...ABSENT_TARGETS]);
const number = Type.Integer({ minimum: 1 });
const name = Type.String({ maxLength: 255 });

export const INCLUDES = ["project", "target", "commits"] as const;
export type Include = (typeof INCLUDES)[number];

export const EventsQuery = Type.Object({
  action: Type.Optional(
    Type.Array(actions, {
      maxItems: MAX_WORDS,
      description: "only events with these actions, comma-separated",
    }),
  ),
  target_type: Type.Optional(
    Type.Array(targets, {
      maxItems: MAX_WORDS,
      description: "only events with these target types, comma-separated",
    }),
  ),
  before: Type.Optional(
    Type.String({ format: "date", description: "only events before this day (UTC), YYYY-MM-DD" }),
  ),
  after: Type.Optional(
    Type.String({ format: "date", description: "only events after this day (UTC), YYYY-MM-DD" }),
  ),
  created_after: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "only events at or after this time, ISO 8601; UTC if it has no offset",
    }),
  ),
  created_before: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "only events before this time, ISO 8601; UTC if it has no offset",
    }),
  ),
  on: Type.Optional(
    Type.String({
      format: "date",
      description: "only events on this day, YYYY-MM-DD, in the time zone `tz`",
    }),
  ),
  tz: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "time zone of `on`, such as Pacific/Auckland or EST5EDT; default: UTC",
    }),
  ),
  author_id: Type.Optional(
    Type.Array(number, {
      maxItems: MAX_WORDS,
      description: "only events by users with these ids, comma-separated",
    }),
  ),
  author_username: Type.Optional(
    Type.Array(name, {
      maxItems: MAX_WORDS,
      description: "only events by users with these usernames, comma-separated",
    }),
  ),
  "not[action]": Type.Optional(
    Type.Array(actions, {
      maxItems: MAX_WORDS,
      description: "no events with these actions, comma-separated",
    }),
  ),
  "not[target_type]": Type.Optional(
    Type.Array(targets, {
      maxItems: MAX_WORDS,
      description: "no events with these target types, comma-separated",
    }),
  ),
  "not[author_id]": Type.Optional(
    Type.Array(number, {
      maxItems: MAX_WORDS,
      description: "no events by users with these ids, comma-separated",
    }),
  ),
  "not[author_username]": Type.Optional(
    Type.Array(name, {
      maxItems: MAX_WORDS,
      description: "no events by users with these usernames, comma-separated",
    }),
  ),
  group_id: Type.Optional(
    Type.String({
      maxLength: 2000,
      description: "only events in projects of this group and its subgroups; id or full path of the group",
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "only events whose title, comment or commit title contains this text, case-insensitive",
    }),
  ),
  include: Type.Optional(
    Type.Array(Type.Enum(INCLUDES), {
      maxItems: MAX_WORDS,
      description: "additional members of the records, comma-separated",
    }),
  ),
  sort: Type.Optional(
    Type.Enum(["asc", "desc"], {
      default: "desc",
      description: "sort direction, by `created_at`; default: desc",
    }),
  ),
  ...pageParameters,
  pagination: Type.Optional(
    Type.Enum(["offset", "keyset"], {
      description:
        "pagination method; keyset: the header Link (rel=next) carries a cursor, and there is no X-Page; default: offset",
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "cursor from the header Link (rel=next) of the previous page; with pagination=keyset",
    }),
  ),
  since: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        "`start`, or the value of X-Next-Since: returns the events recorded after that position, in order of arrival and without gaps",
    }),
  ),
});
export type EventsQuery = Static<typeof EventsQuery>;

/** `scope` accepts any value; only `all` has an effect, and only on the caller's own list (reference events A2). */
export const OwnEventsQuery = Type.Object({
  ...EventsQuery.properties,
  scope: Type.Optional(
    Type.Unknown({
      description:
        "`all`: events by anybody in the projects that the caller is a member of; default: the caller's own events",
    }),
  ),
});
export type OwnEventsQuery = Static<typeof OwnEventsQuery>;

const lower = (names: readonly string[] | undefined) => names?.map((word) => word.toLowerCase());

/**
 * Returns the filter of a validated query, without `on` and `group_id`, which need the database.
 * @throws ParameterProblem created_after is invalid, created_before is invalid
 */
export function filterOf(query: EventsQuery): EventFilter {
  const faults: string[] = [];
  const momentOf = (name: "created_after" | "created_before"): Date | undefined => {
    const text = query[name];
    if (text === undefined || text === "") return undefined;
    // A plus sign that was not encoded arrives as a space.
    const at = parseInstant(text.replace(/(:\d\d(?:[.,]\d+)?) (\d\d(?::?\d\d)?)$/, "$1+$2"));
    if (!at) faults.push(`${name} is invalid`);
    return at;
  };
  const from = momentOf("created_after");
  const to = momentOf("created_before");
  if (query.tz && !zoneOf(query.tz)) faults.push("tz is invalid");
  if (faults.length > 0) throw new ParameterProblem(faults);
  const search = query.search?.trim();
  return {
    action: query.action,
    target: query.target_type,
    authorIds: query.author_id,
    authorNames: lower(query.author_username),
    notActions: query["not[action]"],
    notTargets: query["not[target_type]"],
    notAuthorIds: query["not[author_id]"],
    notAuthorNames: lower(query["not[author_username]"]),
    search: search === "" ? undefined : search,
    before: query.before,
    after: query.after,
    from,
    to,
    sort: query.sort,
  };
}

/** The zones of the time zone database whose names have no slash; other names without one differ in meaning between systems. */
const BARE_ZONES = `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland
  Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore
  Turkey UCT UTC Universal W-SU WET Zulu`;
const BARE = new Set(BARE_ZONES.toLowerCase().split(/\s+/));

/**
 * Returns the zone for a name of the time zone database (case-insensitive), under a name that PostgreSQL interprets the same way:
 * some, such as CET, it would take for standard time all year. Undefined: there is no such zone; offsets are not accepted.
 */
export function zoneOf(text: string): string | undefined {
  // A plus sign that was not encoded arrives as a space.
  const name = text.replace(" ", "+");
  const isName = BARE.has(name.toLowerCase()) || /^(?!systemv\/)[a-z_]+(\/[a-z0-9_+-]+)+$/i.test(name);
  if (!isName) return undefined;
  try {
    return zoneOfDatabase(new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone);
  } catch {
    return undefined;
  }
}

/** The query parameters of a calendar: the first and last day, both inclusive; by default the last year. */
export const CalendarQuery = Type.Object({
  from: Type.Optional(
    Type.String({ format: "date", description: "first day, YYYY-MM-DD; default: a year before `to`" }),
  ),
  to: Type.Optional(Type.String({ format: "date", description: "last day, YYYY-MM-DD; default: today" })),
  tz: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "time zone of the days, such as Pacific/Auckland or EST5EDT; default: UTC",
    }),
  ),
});
export type CalendarQuery = Static<typeof CalendarQuery>;
