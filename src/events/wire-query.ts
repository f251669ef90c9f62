/** The query parameters of the lists of events, and the filter that they make. */
import { parseInstant } from "../platform/instant.ts";
import { pageParameters } from "../platform/pagination.ts";
import { ParameterProblem } from "../platform/problem.ts";
import Type, { type Static } from "../platform/schema.ts";
import { zoneOfDatabase } from "../platform/time-zone.ts";
import { ACTIONS } from "./event.ts";
import { ABSENT_TARGETS, type EventFilter, TARGET_FILTERS } from "./filter.ts";

const MOST_WORDS = 50;
const actions = Type.Enum(ACTIONS);
const targets = Type.Enum([...TARGET_FILTERS, ...ABSENT_TARGETS]);
const number = Type.Integer({ minimum: 1 });
const name = Type.String({ maxLength: 255 });

export const INCLUDES = ["project", "target", "commits"] as const;
export type Include = (typeof INCLUDES)[number];

export const EventsQuery = Type.Object({
  action: Type.Optional(
    Type.Array(actions, { maxItems: MOST_WORDS, description: "only events of these actions" }),
  ),
  target_type: Type.Optional(
    Type.Array(targets, { maxItems: MOST_WORDS, description: "only events of these target types" }),
  ),
  before: Type.Optional(Type.String({ format: "date", description: "only events before this day (UTC)" })),
  after: Type.Optional(Type.String({ format: "date", description: "only events after this day (UTC)" })),
  created_after: Type.Optional(
    Type.String({ maxLength: 40, description: "only events from this moment on; without an offset UTC" }),
  ),
  created_before: Type.Optional(
    Type.String({ maxLength: 40, description: "only events before this moment" }),
  ),
  on: Type.Optional(Type.String({ format: "date", description: "only events on this day of `tz`" })),
  tz: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "time zone of `on`, such as Pacific/Auckland or EST5EDT (UTC)",
    }),
  ),
  author_id: Type.Optional(
    Type.Array(number, { maxItems: MOST_WORDS, description: "only events by these users" }),
  ),
  author_username: Type.Optional(
    Type.Array(name, { maxItems: MOST_WORDS, description: "only events by these users" }),
  ),
  "not[action]": Type.Optional(
    Type.Array(actions, { maxItems: MOST_WORDS, description: "no events of these actions" }),
  ),
  "not[target_type]": Type.Optional(
    Type.Array(targets, { maxItems: MOST_WORDS, description: "no events of these target types" }),
  ),
  "not[author_id]": Type.Optional(
    Type.Array(number, { maxItems: MOST_WORDS, description: "no events by these users" }),
  ),
  "not[author_username]": Type.Optional(
    Type.Array(name, { maxItems: MOST_WORDS, description: "no events by these users" }),
  ),
  group_id: Type.Optional(
    Type.String({ maxLength: 2000, description: "only in projects of this group (id or path) and below it" }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "only events in whose title, comment or commit title this is, in any case",
    }),
  ),
  include: Type.Optional(
    Type.Array(Type.Enum(INCLUDES), {
      maxItems: MOST_WORDS,
      description: "members that are added to the records",
    }),
  ),
  sort: Type.Optional(Type.Enum(["asc", "desc"], { default: "desc", description: "by created_at" })),
  ...pageParameters,
  pagination: Type.Optional(
    Type.Enum(["offset", "keyset"], { description: "`keyset`: Link rel=next carries a cursor, no X-Page" }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 100, description: "of Link rel=next, with pagination=keyset" }),
  ),
  since: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "`start` or X-Next-Since: in the order of arrival, without gaps",
    }),
  ),
});
export type EventsQuery = Static<typeof EventsQuery>;

/** `scope` is any word; only `all` has an effect, and only on the caller's own list (reference events A2). */
export const OwnEventsQuery = Type.Object({
  ...EventsQuery.properties,
  scope: Type.Optional(
    Type.Unknown({ description: "`all`: events by anyone in the projects of which the caller is a member" }),
  ),
});
export type OwnEventsQuery = Static<typeof OwnEventsQuery>;

const lower = (names: readonly string[] | undefined) => names?.map((word) => word.toLowerCase());

/**
 * The filter of a validated query, without `on` and `group_id`, which need the database.
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

/** The zones of the time zone database whose names have no slash; other such words differ in meaning between systems. */
const BARE_ZONES = `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland
  Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore
  Turkey UCT UTC Universal W-SU WET Zulu`;
const BARE = new Set(BARE_ZONES.toLowerCase().split(/\s+/));

/**
 * The zone for a name of the time zone database, in any case, under a name that the database reads alike: of some, such as CET,
 * it would only know the winter time. Undefined: there is no such zone; offsets are none.
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

/** The query parameters of a calendar: days of a zone, both inclusive; absent: the last year. */
export const CalendarQuery = Type.Object({
  from: Type.Optional(
    Type.String({ format: "date", description: "first day; a year before `to` when absent" }),
  ),
  to: Type.Optional(Type.String({ format: "date", description: "last day; today when absent" })),
  tz: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "time zone of the days, such as Pacific/Auckland or EST5EDT (UTC)",
    }),
  ),
});
export type CalendarQuery = Static<typeof CalendarQuery>;
