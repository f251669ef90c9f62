/** The API's doors to environments: Reporters read, Developers write (as in the GitLab v4 API). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { idIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { projectFor } from "./access.ts";
import { addEnvironment, changeEnvironment, removeEnvironment } from "./add-environment.ts";
import type { Environment } from "./environment.ts";
import { countEnvironments, findEnvironment, listEnvironments } from "./store-environments.ts";
import { environmentRecord } from "./wire.ts";
import {
  ENVIRONMENT_ANSWERS,
  ENVIRONMENTS_ANSWERS,
  NEW_ENVIRONMENT_ANSWERS,
  REMOVED_ENVIRONMENT_ANSWERS,
} from "./wire-answers-environments.ts";
import { EnvironmentBody, EnvironmentsQuery, NewEnvironmentBody } from "./wire-environments.ts";
import { EnvironmentParameters, ProjectParameters } from "./wire-parameters.ts";

type At = { Params: { id: string } };
type OneAt = { Params: { id: string; environment_id: string } };

const COLLECTION = "/projects/:id/environments";
const ITEM = `${COLLECTION}/:environment_id`;

/** `/projects/:id/environments[/:environment_id]`. */
export function environmentRoutes(app: FastifyInstance, platform: Platform): void {
  collectionRoutes(app, platform);
  itemRoutes(app, platform);
}

function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<At & { Querystring: EnvironmentsQuery }>(
    COLLECTION,
    {
      ...answering(needsScope(platform, "read_api", "api"), ENVIRONMENTS_ANSWERS),
      schema: { params: ProjectParameters, querystring: EnvironmentsQuery },
    },
    async (request, reply) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "reporter");
      const { name, search, states: state } = request.query;
      const filter = { name, search, state };
      const page = pageOf(request.query);
      const total = await countEnvironments(db, project.id, filter);
      const environments = await listEnvironments(db, project.id, filter, rowsOf(page));
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return environments.map(environmentRecord);
    },
  );
  app.post<At & { Body: NewEnvironmentBody }>(
    COLLECTION,
    {
      ...answering(needsScope(platform, "api"), NEW_ENVIRONMENT_ANSWERS),
      schema: { params: ProjectParameters, body: NewEnvironmentBody },
    },
    async (request, reply) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "developer");
      const { name, external_url } = request.body;
      const made = await addEnvironment(db, callerOf(request).id, project.id, {
        name,
        externalUrl: external_url || null,
      });
      return reply.code(201).send(environmentRecord(made));
    },
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  const writes = needsScope(platform, "api");
  app.get<OneAt>(
    ITEM,
    {
      ...answering(needsScope(platform, "read_api", "api"), ENVIRONMENT_ANSWERS),
      schema: { params: EnvironmentParameters },
    },
    async (request) => environmentRecord(await environmentAt(platform, request, "reporter")),
  );
  app.put<OneAt & { Body: EnvironmentBody }>(
    ITEM,
    {
      ...answering(writes, ENVIRONMENT_ANSWERS),
      schema: { params: EnvironmentParameters, body: EnvironmentBody },
    },
    async (request) => {
      const found = await environmentAt(platform, request, "developer");
      const { name, external_url } = request.body;
      const change = {
        ...(name !== undefined && { name }),
        ...(external_url !== undefined && { externalUrl: external_url || null }),
      };
      return environmentRecord(await changeEnvironment(db, callerOf(request).id, found, change));
    },
  );
  app.delete<OneAt>(
    ITEM,
    { ...answering(writes, REMOVED_ENVIRONMENT_ANSWERS), schema: { params: EnvironmentParameters } },
    async (request, reply) => {
      await removeEnvironment(db, callerOf(request).id, await environmentAt(platform, request, "developer"));
      return reply.code(204).send();
    },
  );
}

/** @throws Problem not_found: the project has no such environment, or is not visible to the caller; forbidden */
async function environmentAt(
  { db }: Platform,
  request: FastifyRequest<OneAt>,
  role: "reporter" | "developer",
): Promise<Environment> {
  const { id, environment_id } = request.params;
  const project = await projectFor(db, callerOf(request), id, role);
  const found = await findEnvironment(db, project.id, idIn(environment_id));
  if (!found) throw new Problem("not_found", "404 Not found");
  return found;
}
