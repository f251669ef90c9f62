/**
 * The lists of events (spec: GET /events, GET /users/:id/events, GET /projects/:project_id/events) and those of groups, the
 * possible kinds of events, and the calendar.
 */
import type { FastifyInstance } from "fastify";
import { anyCallerOf, callerOf, mayHaveScope, needsScope } from "../accounts/caller.ts";
import { UserParameters } from "../accounts/wire-users.ts";
import { answering } from "../platform/answers.ts";
import type { Platform } from "../platform/platform.ts";
import { ParameterProblem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import { visibleGroup } from "../projects/access.ts";
import { GroupParameters, ProjectParameters } from "../projects/wire-parameters.ts";
import { sendEvents } from "./routes-list.ts";
import { findToday, listContributions } from "./store-calendar.ts";
import { ofCaller } from "./subject.ts";
import { visiblePerson } from "./visible-person.ts";
import { calendarRecord } from "./wire.ts";
import { CALENDAR_ANSWERS, LIST_ANSWERS, LIST_READS } from "./wire-answers.ts";
import { CalendarQuery, EventsQuery, OwnEventsQuery, zoneOf } from "./wire-query.ts";
import { EVENTS_SCHEMA_ANSWERS, eventsSchema } from "./wire-schema.ts";
import { yearBefore } from "./year-before.ts";

type Asked = { Params: { id: string }; Querystring: EventsQuery };

export function eventRoutes(app: FastifyInstance, platform: Platform): void {
  eventCalendarRoutes(app, platform);
  const reads = needsScope(platform, "read_user", "read_api", "api");
  const readsPeople = answering(reads, LIST_ANSWERS, LIST_READS);
  const readsProjects = answering(mayHaveScope(platform, "read_api", "api"), LIST_ANSWERS, LIST_READS);
  const querystring = EventsQuery;

  app.get<{ Querystring: OwnEventsQuery }>(
    "/events",
    { ...readsPeople, schema: { querystring: OwnEventsQuery } },
    async (request, reply) => {
      const caller = callerOf(request);
      const subject = ofCaller(caller, request.query.scope);
      return sendEvents(platform, request, reply, { subject, asker: caller, listing: "user" });
    },
  );

  const schema = eventsSchema();
  app.get("/events/schema", answering(reads, EVENTS_SCHEMA_ANSWERS), async () => schema);

  app.get<Asked>(
    "/users/:id/events",
    { ...readsPeople, schema: { querystring, params: UserParameters } },
    async (request, reply) => {
      const asker = callerOf(request);
      const { id } = request.params;
      return sendEvents(platform, request, reply, {
        subject: { kind: "person", person: id },
        asker,
        listing: "user",
      });
    },
  );

  app.get<Asked>(
    "/projects/:id/events",
    { ...readsProjects, schema: { querystring, params: ProjectParameters } },
    async (request, reply) => {
      return sendEvents(platform, request, reply, {
        subject: { kind: "reference", reference: request.params.id },
        asker: anyCallerOf(request),
        listing: "project",
      });
    },
  );

  app.get<Asked>(
    "/groups/:id/events",
    { ...readsProjects, schema: { querystring, params: GroupParameters } },
    async (request, reply) => {
      const asker = anyCallerOf(request);
      const { id: groupId } = await visibleGroup(platform.db, asker, request.params.id);
      return sendEvents(platform, request, reply, {
        subject: { kind: "group", groupId },
        asker,
        listing: "user",
      });
    },
  );
}

/** `GET /users/:id/calendar`: the number of a person's contributions by day (contract-events §4, calendar). */
function eventCalendarRoutes(app: FastifyInstance, platform: Platform): void {
  app.get<{ Params: Static<typeof UserParameters>; Querystring: CalendarQuery }>(
    "/users/:id/calendar",
    {
      ...answering(needsScope(platform, "read_user", "read_api", "api"), CALENDAR_ANSWERS),
      schema: { querystring: CalendarQuery, params: UserParameters },
    },
    async (request) => {
      const caller = callerOf(request);
      const { tz, ...asked } = request.query;
      const zone = zoneOf(tz || "UTC");
      if (!zone) throw new ParameterProblem(["tz is invalid"]);
      const subject = await visiblePerson(platform.db, caller, request.params.id);
      if (!subject) return {};
      const to = asked.to ?? (await findToday(platform.db, zone));
      const from = asked.from ?? yearBefore(to);
      const given = await listContributions(platform.db, { subject, asker: caller }, { from, to, zone });
      return calendarRecord(given);
    },
  );
}
