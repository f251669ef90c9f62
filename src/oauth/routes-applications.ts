/** The applications of the instance in the API, for administrators (contract §3). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { actOf, callerOf, needsAdministrator, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { idIn } from "../platform/number-in.ts";
import { pageOf, pageParameters, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import Type, { type Static } from "../platform/schema.ts";
import type { Application } from "./application.ts";
import { changeApplication } from "./change-application.ts";
import { flushRefusals } from "./record-refusal.ts";
import { registerApplication } from "./register-application.ts";
import { removeApplication } from "./remove-application.ts";
import { renewSecret } from "./renew-secret.ts";
import { countApplications, findApplication, listApplications } from "./store.ts";
import { countApplicationEvents, listApplicationEvents } from "./store-application-events.ts";
import { findApplicationInCare } from "./store-applications.ts";
import { countPeopleOfApplication, listFlowsOfApplication } from "./store-usage.ts";
import {
  APPLICATION_ANSWERS,
  APPLICATION_EVENTS_ANSWERS,
  APPLICATION_USAGE_ANSWERS,
  APPLICATIONS_ANSWERS,
  NEW_APPLICATION_ANSWERS,
  REMOVED_APPLICATION_ANSWERS,
  RENEWED_SECRET_ANSWERS,
} from "./wire-answers-applications.ts";
import {
  applicationBody,
  applicationChange,
  applicationFields,
  applicationRecord,
  fieldsAfter,
  renewBody,
} from "./wire-application.ts";
import { eventRecord, eventsQuery, usageRecord } from "./wire-application-watch.ts";

const byId = Type.Object({ id: Type.String({ description: "the number of the application" }) });

/** `/applications` of the API. */
export function applicationRoutes(app: FastifyInstance, platform: Platform): void {
  collectionRoutes(app, platform);
  itemRoutes(app, platform);
  eventRoutes(app, platform);
  usageRoute(app, platform);
  renewalRoute(app, platform);
}

function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const guard = needsAdministrator(platform, "api");
  app.post<{ Body: Parameters<typeof applicationFields>[0] }>(
    "/applications",
    { ...answering(guard, NEW_APPLICATION_ANSWERS), schema: { body: applicationBody } },
    async (request, reply) => {
      const placing = { trusted: request.body.trusted, act: actOf(request), policy: config };
      const fields = applicationFields(request.body);
      const { id, secret } = await db.transaction((tx) => registerApplication(tx, null, fields, placing));
      const made = await needed(platform, String(id));
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({ ...applicationRecord(made), secret });
    },
  );

  app.get<{ Querystring: Parameters<typeof pageOf>[0] }>(
    "/applications",
    { ...answering(guard, APPLICATIONS_ANSWERS), schema: { querystring: Type.Object(pageParameters) } },
    async (request, reply) => {
      const page = pageOf(request.query);
      const [found, total] = await Promise.all([listApplications(db, rowsOf(page)), countApplications(db)]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return reply.send(found.map(applicationRecord));
    },
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const guard = needsAdministrator(platform, "api");
  app.get<{ Params: { id: string } }>(
    "/applications/:id",
    { ...answering(guard, APPLICATION_ANSWERS), schema: { params: byId } },
    async (request, reply) => reply.send(applicationRecord(await needed(platform, request.params.id))),
  );

  app.put<{ Params: { id: string }; Body: Static<typeof applicationChange> }>(
    "/applications/:id",
    { ...answering(guard, APPLICATION_ANSWERS), schema: { params: byId, body: applicationChange } },
    async (request, reply) => {
      const { id } = await needed(platform, request.params.id);
      const { body } = request;
      const fieldsAfterChange = (now: Application) => fieldsAfter(now, body);
      const changing = { act: actOf(request), policy: config, mayTrust: true, trusted: body.trusted };
      await changeApplication(db, id, fieldsAfterChange, changing);
      return reply.send(applicationRecord(await needed(platform, request.params.id)));
    },
  );

  app.delete<{ Params: { id: string } }>(
    "/applications/:id",
    { ...answering(guard, REMOVED_APPLICATION_ANSWERS), schema: { params: byId } },
    async (request, reply) => {
      await removeApplication(db, await needed(platform, request.params.id), actOf(request));
      return reply.code(204).send();
    },
  );
}

function renewalRoute(app: FastifyInstance, platform: Platform): void {
  app.post<{ Params: { id: string }; Body: { grace_seconds?: number } }>(
    "/applications/:id/renew-secret",
    {
      ...answering(needsAdministrator(platform, "api"), RENEWED_SECRET_ANSWERS),
      schema: { params: byId, body: renewBody },
    },
    async (request, reply) => {
      const application = await needed(platform, request.params.id);
      const seconds = request.body?.grace_seconds ?? 0;
      const secret = await renewSecret(platform.db, application, seconds, actOf(request));
      return reply.header("cache-control", "no-store").send({ ...applicationRecord(application), secret });
    },
  );
}

/** `/applications/:id/events`, for those who manage the application; 404 for everybody else. */
function eventRoutes(app: FastifyInstance, platform: Platform): void {
  const slow = platform.db.pooled;
  app.get<{ Params: { id: string }; Querystring: Static<typeof eventsQuery> }>(
    "/applications/:id/events",
    {
      ...answering(needsScope(platform, "read_api", "api"), APPLICATION_EVENTS_ANSWERS),
      schema: { params: byId, querystring: eventsQuery },
    },
    async (request, reply) => {
      const found = await neededManaged(platform, request);
      const page = pageOf(request.query);
      const { endpoint, answer, search } = request.query;
      const filter = { endpoint, answer, search: search || undefined };
      await flushRefusals(platform);
      const [events, total] = await Promise.all([
        listApplicationEvents(slow, found.id, filter, rowsOf(page)),
        countApplicationEvents(slow, found.id, filter),
      ]);
      setPageHeaders(request, reply, platform.config.publicUrl, page, total);
      return reply.send(events.map(eventRecord));
    },
  );
}

/** `/applications/:id/usage`, for the same people. */
function usageRoute(app: FastifyInstance, platform: Platform): void {
  const slow = platform.db.pooled;
  app.get<{ Params: { id: string } }>(
    "/applications/:id/usage",
    {
      ...answering(needsScope(platform, "read_api", "api"), APPLICATION_USAGE_ANSWERS),
      schema: { params: byId },
    },
    async (request) => {
      const found = await neededManaged(platform, request);
      const [people, flows] = await Promise.all([
        countPeopleOfApplication(slow, found.id),
        listFlowsOfApplication(slow, found.id),
      ]);
      return usageRecord(people, flows);
    },
  );
}

/** @throws Problem not_found */
async function needed({ db }: Platform, id: string): Promise<Application> {
  const found = await findApplication(db, idIn(id));
  if (!found) throw new Problem("not_found", "404 Application Not Found");
  return found;
}

/** Returns the application in the address if the caller manages it. @throws Problem not_found */
async function neededManaged({ db }: Platform, request: FastifyRequest<{ Params: { id: string } }>) {
  const found = await findApplicationInCare(db.pooled, callerOf(request), idIn(request.params.id));
  if (!found) throw new Problem("not_found", "404 Application Not Found");
  return found;
}
