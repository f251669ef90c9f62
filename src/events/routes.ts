/** The three lists of events (spec: GET /events, GET /users/:id/events, GET /projects/:project_id/events). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import { anyCallerOf, callerOf, mayHaveScope, needsScope } from "../accounts/caller.ts";
import { pageOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { visibleProject } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import type { Subject } from "./filter.ts";
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
  { db, config }: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { subject, asker, listing }: List,
): Promise<FastifyReply> {
  const query = request.query as EventsQuery;
  const page = pageOf(query);
  const { events, total } = subject
    ? await listEvents(db, {
        subject,
        asker,
        filter: filterOf(query),
        limit: page.perPage,
        offset: (page.page - 1) * page.perPage,
      })
    : { events: [], total: 0 };
  setPageHeaders(request, reply, config.publicUrl, page, total);
  const records = events.map((event) => eventRecord(event, listing, config.publicUrl));
  return reply.header("content-type", "application/json").send(JSON.stringify(records));
}
