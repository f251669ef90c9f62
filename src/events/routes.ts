/** The three lists of events (spec: GET /events, GET /users/:id/events, GET /projects/:project_id/events). */
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import { anyCallerOf, callerOf, mayHaveScope, needsScope } from "../accounts/caller.ts";
import { pageOf, setKeysetHeaders, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { visibleProject } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import type { Event } from "./event.ts";
import type { Subject } from "./filter.ts";
import { arrivalText, cursorText, readArrival, readCursor } from "./position.ts";
import { readArrivals } from "./read-arrivals.ts";
import { listEvents } from "./store-lists.ts";
import { findPerson } from "./store-people.ts";
import { EventsQuery, eventRecord, filterOf, IdParameters, type Listing, OwnEventsQuery } from "./wire.ts";

type Asked = { Params: Static<typeof IdParameters>; Querystring: EventsQuery };

export function eventRoutes(app: FastifyInstance, platform: Platform): void {
  const readsPeople = needsScope(platform, "read_user", "read_api", "api");
  const readsProjects = mayHaveScope(platform, "read_api", "api");

  app.get<{ Querystring: OwnEventsQuery }>(
    "/events",
    { ...readsPeople, schema: { querystring: OwnEventsQuery } },
    async (request, reply) => {
      const caller = callerOf(request);
      const subject: Subject = request.query.scope === "all" ? "memberships" : { authorId: caller.id };
      return sendEvents(platform, request, reply, { subject, asker: caller, listing: "user" });
    },
  );

  app.get<Asked>(
    "/users/:id/events",
    { ...readsPeople, schema: { querystring: EventsQuery, params: IdParameters } },
    async (request, reply) => {
      const caller = callerOf(request);
      const person = await findPerson(platform.db, request.params.id);
      if (!person) throw new Problem("not_found", "404 User Not Found");
      // A private profile looks like one without events (contract-events §4, users).
      const hidden = person.privateProfile && person.id !== caller.id && !caller.isAdmin;
      const subject: Subject | undefined = hidden ? undefined : { authorId: person.id };
      return sendEvents(platform, request, reply, { subject, asker: caller, listing: "user" });
    },
  );

  app.get<Asked>(
    "/projects/:id/events",
    { ...readsProjects, schema: { querystring: EventsQuery, params: IdParameters } },
    async (request, reply) => {
      const asker = anyCallerOf(request);
      const { id, visibility, access } = await visibleProject(platform.db, asker, request.params.id);
      const subject: Subject = { projectId: id, visibility, access };
      return sendEvents(platform, request, reply, { subject, asker, listing: "project" });
    },
  );
}

interface List {
  /** Undefined: nobody's, an empty list. */
  subject: Subject | undefined;
  asker: Asker | undefined;
  listing: Listing;
}

async function sendEvents(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  list: List,
): Promise<FastifyReply> {
  const query = request.query as EventsQuery;
  const events = await pageOfEvents(platform, request, reply, list);
  const { publicUrl } = platform.config;
  const body = JSON.stringify(events.map((event) => eventRecord(event, list.listing, publicUrl)));
  const etag = tagOf([body, reply.getHeader("x-total"), reply.getHeader("x-next-since"), query.sort]);
  reply.headers({ etag, "cache-control": "private, no-cache", vary: "Authorization, Private-Token, Origin" });
  if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return reply.header("content-type", "application/json").send(body);
}

/** The events that a list answers with; its headers tell how to go on (contract-events §4). */
async function pageOfEvents(
  { db, config }: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { subject, asker }: List,
): Promise<Event[]> {
  const query = request.query as EventsQuery;
  const page = pageOf(query);
  const { publicUrl } = config;
  const asked = { asker, filter: filterOf(query), limit: page.perPage, offset: 0 };
  if (query.since !== undefined) {
    const since = readArrival(query.since);
    const { events, next } = subject
      ? await readArrivals(db, { ...asked, subject }, since)
      : { events: [], next: since };
    reply.header("x-next-since", arrivalText(next));
    return events;
  }
  if (query.pagination === "keyset") {
    const from = query.cursor === undefined ? undefined : readCursor(query.cursor);
    const found = subject
      ? await listEvents(db, { ...asked, subject, limit: page.perPage + 1, from })
      : { events: [], total: 0 };
    const events = found.events.slice(0, page.perPage);
    const last = found.events.length > events.length ? events.at(-1) : undefined;
    setKeysetHeaders(request, reply, publicUrl, {
      perPage: page.perPage,
      total: found.total,
      next: last && cursorText(last),
    });
    return events;
  }
  const offset = (page.page - 1) * page.perPage;
  const found = subject ? await listEvents(db, { ...asked, subject, offset }) : { events: [], total: 0 };
  setPageHeaders(request, reply, publicUrl, page, found.total);
  return found.events;
}

/** Weak: equal bytes are not promised, equal meaning is. */
function tagOf(parts: readonly unknown[]): string {
  return `W/"${createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 27)}"`;
}

function isKnown(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false;
  return (
    given.trim() === "*" || given.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag.slice(2))
  );
}
