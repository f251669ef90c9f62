/** Answers a request for a list of events: a page, the headers of pagination, and 304 if nothing has changed (contract-events §4). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesTag } from "../platform/entity-tag.ts";
import { pageOf, setKeysetHeaders, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { sendUnread } from "../platform/unchanged.ts";
import { visibleGroup, visibleProject } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import type { Event } from "./event.ts";
import type { EventFilter, SoughtQuery } from "./filter.ts";
import { findCommits } from "./find-commits.ts";
import { tagOf, toldBy } from "./list-tag.ts";
import { arrivalText, checkPosition, cursorText, positionAt, readArrival, readCursor } from "./position.ts";
import { isBehind, readArrivals } from "./read-arrivals.ts";
import { findSettledHorizon } from "./settled-horizon.ts";
import { findHorizon } from "./store-arrivals.ts";
import { findDay } from "./store-calendar.ts";
import { findEvents } from "./store-lists.ts";
import { findSummary } from "./store-summary.ts";
import { ofProject, type SoughtSubject, type Subject } from "./subject.ts";
import { visiblePerson } from "./visible-person.ts";
import { eventRecord, type Listing } from "./wire.ts";
import { type EventsQuery, filterOf, zoneOf } from "./wire-query.ts";

/** How many seconds a client should wait before it asks again, as in GitHub's API of events (decision 0200). */
const POLL_SECONDS = "60";

export interface List {
  subject: SoughtSubject;
  asker: Asker | undefined;
  listing: Listing;
}

/** @throws Problem not_found: the asker may not see the project, or the group of the filter; ParameterProblem */
export async function sendEvents(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  list: List,
): Promise<FastifyReply> {
  const query = request.query as EventsQuery;
  const { subject, asker } = list;
  reply.headers({ vary: "Authorization, Private-Token, Origin", "x-poll-interval": POLL_SECONDS });
  const filter = await fullFilter(platform, asker, query);
  if (query.since !== undefined) return sendArrivals(platform, request, reply, list, filter);
  const asked: SoughtQuery = { subject, asker, filter, ...sliceOf(query) };
  const given = request.headers["if-none-match"];
  const isSought = filter.search !== undefined;
  // A search result cannot change unless the list without the search words does, whose version is read first.
  const whole = given !== undefined || isSought ? await findSummary(platform.db, unsought(asked)) : undefined;
  const told = whole && toldBy(given, partsOf(platform, request, list, whole));
  if (whole && told !== undefined) {
    const [, counted, next] = /^(\d*)(.*)$/.exec(told) ?? [];
    const total = isSought ? Number(counted) : whole.total;
    setListHeaders(platform, request, reply, { total, next: next || undefined });
    return sendUnread(reply.header("etag", tagOf(partsOf(platform, request, list, whole), told)));
  }
  const found = await findEvents(platform.db, asked);
  if (!found) {
    // Throws if the subject is missing; otherwise it is a private profile, which looks like one without events.
    await subjectOf(platform, list);
    return sendNothing(platform, request, reply, query);
  }
  const { total } = found;
  const events = found.events.slice(0, pageOf(query).perPage);
  const last = found.events.length > events.length ? events.at(-1) : undefined;
  const next = last && cursorText(last);
  const etag = tagOf(
    partsOf(platform, request, list, (isSought && whole) || found),
    `${isSought ? total : ""}${next ?? ""}`,
  );
  reply.header("etag", etag);
  setListHeaders(platform, request, reply, { total, next });
  if (matchesTag(given, etag)) return reply.code(304).send();
  return sendJson(reply, await bodyOf(events, list.listing, platform, query));
}

/** The part of the list that a query asks for; by keyset one event more than the page has, which tells whether more follow. */
function sliceOf(query: EventsQuery): Pick<SoughtQuery, "limit" | "offset" | "from"> {
  const { perPage, page } = pageOf(query);
  if (query.pagination !== "keyset") return { limit: perPage, offset: (page - 1) * perPage, from: undefined };
  return {
    limit: perPage + 1,
    offset: 0,
    from: query.cursor === undefined ? undefined : readCursor(query.cursor),
  };
}

/** Sets the headers of the kind of pagination that the request asks for. */
function setListHeaders(
  { config }: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { total, next }: { total: number; next: string | undefined },
): void {
  const query = request.query as EventsQuery;
  const { page, perPage } = pageOf(query);
  if (query.pagination === "keyset")
    setKeysetHeaders(request, reply, config.publicUrl, { perPage, total, next });
  else setPageHeaders(request, reply, config.publicUrl, { page, perPage }, total);
}

/** What an answer depends on, apart from the total of a search and the next position; the parts of its tag. */
function partsOf(
  { config }: Platform,
  request: FastifyRequest,
  { asker, listing }: List,
  { version, total }: { version: string; total: number },
): unknown[] {
  return [version, total, request.url, asker?.id, asker?.isAdmin, listing, config.publicUrl];
}

/** The same list without the search words. */
function unsought<Q extends SoughtQuery>(query: Q): Q {
  return { ...query, filter: { ...query.filter, search: undefined } };
}

async function bodyOf(
  events: readonly Event[],
  listing: Listing,
  { db, config }: Platform,
  { include }: EventsQuery,
): Promise<string> {
  const commits = await findCommits(db, events, include);
  const { publicUrl } = config;
  return JSON.stringify(events.map((event) => eventRecord(event, listing, publicUrl, include, commits)));
}

/** Sent as bytes: a string of this size would be measured and copied once more on its way to the socket. */
function sendJson(reply: FastifyReply, body: string): FastifyReply {
  return reply.header("content-type", "application/json").send(Buffer.from(body));
}

async function sendNothing(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  query: EventsQuery,
): Promise<FastifyReply> {
  if (query.since !== undefined) {
    const position = readArrival(query.since);
    const now = await findHorizon(platform.db);
    checkPosition(position, now);
    reply.header("x-next-since", arrivalText({ ...position, epoch: now.epoch }));
  } else setListHeaders(platform, request, reply, { total: 0, next: undefined });
  const etag = tagOf(["nothing", request.url]);
  reply.header("etag", etag);
  if (matchesTag(request.headers["if-none-match"], etag)) return sendUnread(reply);
  return sendJson(reply, "[]");
}

/**
 * The events that arrived since a position. The tag of the answer holds for as long as the whole list is unchanged, if the
 * answer had everything or was a full page. Otherwise events still wait for running transactions, and the tag never matches.
 */
async function sendArrivals(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  list: List,
  filter: EventFilter,
): Promise<FastifyReply> {
  const query = request.query as EventsQuery;
  const { db } = platform;
  const since = readArrival(query.since ?? "");
  const subject = await subjectOf(platform, list);
  if (!subject) return sendNothing(platform, request, reply, query);
  const { asker, listing } = list;
  const asked = { subject, asker, filter, limit: pageOf(query).perPage, offset: 0 };
  const given = request.headers["if-none-match"];
  // The horizon is read first: every event before it is visible to the statements after it.
  const horizon = await findSettledHorizon(db);
  checkPosition(since, horizon);
  const whole = await findSummary(db, unsought(asked));
  const parts = whole && partsOf(platform, request, list, whole);
  const told = parts && isBehind(since, horizon) ? toldBy(given, parts) : undefined;
  if (parts && told !== undefined) {
    reply.headers({
      etag: tagOf(parts, told),
      "x-next-since": told === "" ? arrivalText(positionAt(horizon)) : told,
    });
    return sendUnread(reply);
  }
  const { events, next, isFull, isAll } = await readArrivals(db.pooled, asked, since, horizon);
  const body = await bodyOf(events, listing, platform, query);
  const position = arrivalText(next);
  const etag =
    parts && (isFull || isAll) ? tagOf(parts, isFull ? position : "") : tagOf([body, position, query.sort]);
  reply.headers({ etag, "x-next-since": position });
  if (matchesTag(given, etag)) return reply.code(304).send();
  return sendJson(reply, body);
}

/** The subject by its id; undefined: a private profile. @throws Problem not_found */
async function subjectOf({ db }: Platform, { subject, asker }: List): Promise<Subject | undefined> {
  switch (subject.kind) {
    case "person":
      return visiblePerson(db, asker, subject.person);
    case "reference":
      return ofProject(await visibleProject(db, asker, subject.reference));
    case "project":
    case "author":
    case "group":
    case "memberships":
      return subject;
  }
}

/** The filter of a query, with the bounds of its day in its time zone and the id of its group, which the database knows. */
export async function fullFilter(
  { db }: Platform,
  asker: Asker | undefined,
  query: EventsQuery,
): Promise<EventFilter> {
  const filter = filterOf(query);
  if (query.group_id !== undefined && query.group_id !== "") {
    filter.groupId = (await visibleGroup(db, asker, query.group_id)).id;
  }
  if (query.on !== undefined) {
    const day = await findDay(db, query.on, zoneOf(query.tz || "UTC") ?? "UTC");
    filter.from = filter.from && filter.from > day.from ? filter.from : day.from;
    filter.to = filter.to && filter.to < day.to ? filter.to : day.to;
  }
  return filter;
}
