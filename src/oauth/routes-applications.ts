/** The applications of the instance, over the API, for administrators (contract §3). */
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { needsAdministrator } from "../accounts/caller.ts";
import { pageOf, pageParameters, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Application } from "./application.ts";
import { registerApplication } from "./register-application.ts";
import { renewSecret } from "./renew-secret.ts";
import { countApplications, deleteApplication, findApplication, listApplications } from "./store.ts";
import { applicationBody, applicationFields, applicationRecord, renewBody } from "./wire-application.ts";

const byId = Type.Object({ id: Type.String({ description: "the number of the application" }) });

/** `/applications` of the API. */
export function applicationRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const guard = needsAdministrator(platform, "api");

  app.post<{ Body: Parameters<typeof applicationFields>[0] }>(
    "/applications",
    { ...guard, schema: { body: applicationBody } },
    async (request, reply) => {
      const { id, secret } = await registerApplication(
        db,
        null,
        applicationFields(request.body),
        request.body.trusted,
      );
      const made = await needed(platform, String(id));
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({ ...applicationRecord(made), secret });
    },
  );

  app.get<{ Querystring: Parameters<typeof pageOf>[0] }>(
    "/applications",
    { ...guard, schema: { querystring: Type.Object(pageParameters) } },
    async (request, reply) => {
      const page = pageOf(request.query);
      const [found, total] = await Promise.all([
        listApplications(db, page.perPage, (page.page - 1) * page.perPage),
        countApplications(db),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return reply.send(found.map(applicationRecord));
    },
  );

  app.delete<{ Params: { id: string } }>(
    "/applications/:id",
    { ...guard, schema: { params: byId } },
    async (request, reply) => {
      const { id } = await needed(platform, request.params.id);
      await deleteApplication(db, id);
      return reply.code(204).send();
    },
  );

  app.post<{ Params: { id: string }; Body: { grace_seconds?: number } }>(
    "/applications/:id/renew-secret",
    { ...guard, schema: { params: byId, body: renewBody } },
    async (request, reply) => {
      const application = await needed(platform, request.params.id);
      const secret = await renewSecret(db, application.id, request.body?.grace_seconds ?? 0);
      return reply.header("cache-control", "no-store").send({ ...applicationRecord(application), secret });
    },
  );
}

/** @throws Problem not_found */
async function needed({ db }: Platform, id: string): Promise<Application> {
  const found = /^\d{1,15}$/.test(id) ? await findApplication(db, Number(id)) : undefined;
  if (!found) throw new Problem("not_found", "404 Application Not Found");
  return found;
}
