/** The doors of event sources: those for their maintainers, and the one where forges deliver (contract-events §3). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { idIn } from "../platform/number-in.ts";
import { pageOf, pageParameters, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { ParameterProblem, Problem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import Type from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { changeSource, createSource, rotateSourceSecret } from "./configure-source.ts";
import { removeSource } from "./remove-source.ts";
import { replayDelivery } from "./replay-delivery.ts";
import { receiveRoutes } from "./routes-receive.ts";
import type { Source } from "./source.ts";
import { countRefusals, findRefusal, listRefusalCounts, listRefusals } from "./store-refusals.ts";
import {
  countDeliveries,
  countSources,
  findSource,
  listDeliveries,
  listIdentities,
  listSources,
} from "./store-sources.ts";
import {
  CHANGED_SOURCE_ANSWERS,
  DELIVERIES_ANSWERS,
  NEW_SOURCE_ANSWERS,
  REFUSAL_ANSWERS,
  REFUSALS_ANSWERS,
  REMOVED_SOURCE_ANSWERS,
  REPLAY_ANSWERS,
  SOURCE_ANSWERS,
  SOURCES_ANSWERS,
} from "./wire-answers-sources.ts";
import {
  ChangedSourceBody,
  deliveryRecord,
  identitiesOf,
  keptRefusalRecord,
  NewSourceBody,
  RefusalParameters,
  ReplayParameters,
  readerFor,
  refusalRecord,
  SourceParameters,
  sourceRecord,
} from "./wire-sources.ts";

const PageQuery = Type.Object(pageParameters);
type PageQuery = Static<typeof PageQuery>;
type OfProject = { Params: Static<typeof ProjectParameters> };
type OfSource = { Params: Static<typeof SourceParameters> };

export function eventSourceRoutes(app: FastifyInstance, platform: Platform): void {
  collectionRoutes(app, platform);
  sourceRoutes(app, platform);
  deliveryRoutes(app, platform);
  refusalRoutes(app, platform);
  app.register(async (receiver) => receiveRoutes(receiver, platform));
}

/** The sources of a project. */
function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = needsScope(platform, "read_api", "api");
  const writes = needsScope(platform, "api");

  app.post<OfProject & { Body: NewSourceBody }>(
    "/projects/:id/event_sources",
    { ...answering(writes, NEW_SOURCE_ANSWERS), schema: { params: ProjectParameters, body: NewSourceBody } },
    async (request, reply) => {
      const caller = callerOf(request);
      const project = await projectFor(db, caller, request.params.id, "maintainer");
      const { name, type = "auto", secret } = request.body;
      const identities = checkedIdentities(request.body.identities);
      const made = await createSource(platform, caller.id, {
        projectId: project.id,
        name,
        type,
        secret: secret ?? undefined,
        identities,
      });
      return reply.code(201).send(await recordOf(platform, made.source, made.secret));
    },
  );

  app.get<OfProject & { Querystring: PageQuery }>(
    "/projects/:id/event_sources",
    { ...answering(reads, SOURCES_ANSWERS), schema: { params: ProjectParameters, querystring: PageQuery } },
    async (request, reply) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "maintainer");
      const page = pageOf(request.query);
      const sources = await listSources(db, project.id, rowsOf(page));
      setPageHeaders(request, reply, config.publicUrl, page, await countSources(db, project.id));
      return Promise.all(sources.map((source) => recordOf(platform, source)));
    },
  );
}

/** One source, and its secret. */
function sourceRoutes(app: FastifyInstance, platform: Platform): void {
  const reads = needsScope(platform, "read_api", "api");
  const writes = needsScope(platform, "api");

  app.get<OfSource>(
    "/projects/:id/event_sources/:source_id",
    { ...answering(reads, SOURCE_ANSWERS), schema: { params: SourceParameters } },
    async (request) => recordOf(platform, await sourceFor(platform, request)),
  );

  app.put<OfSource & { Body: ChangedSourceBody }>(
    "/projects/:id/event_sources/:source_id",
    {
      ...answering(writes, CHANGED_SOURCE_ANSWERS),
      schema: { params: SourceParameters, body: ChangedSourceBody },
    },
    async (request) => {
      const source = await sourceFor(platform, request);
      const { name, active } = request.body;
      await changeSource(platform, callerOf(request).id, source, {
        name,
        active,
        identities: checkedIdentities(request.body.identities),
      });
      return recordOf(platform, await sourceFor(platform, request));
    },
  );

  app.delete<OfSource>(
    "/projects/:id/event_sources/:source_id",
    { ...answering(writes, REMOVED_SOURCE_ANSWERS), schema: { params: SourceParameters } },
    async (request, reply) => {
      const source = await sourceFor(platform, request);
      await removeSource(platform.db, callerOf(request).id, source);
      return reply.code(204).send();
    },
  );

  app.post<OfSource>(
    "/projects/:id/event_sources/:source_id/rotate_secret",
    { ...answering(writes, SOURCE_ANSWERS), schema: { params: SourceParameters } },
    async (request) => {
      const source = await sourceFor(platform, request);
      const secret = await rotateSourceSecret(platform, callerOf(request).id, source);
      return recordOf(platform, await sourceFor(platform, request), secret);
    },
  );
}

/** What forges delivered to a source. */
function deliveryRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = needsScope(platform, "read_api", "api");
  const writes = needsScope(platform, "api");

  app.get<OfSource & { Querystring: PageQuery }>(
    "/projects/:id/event_sources/:source_id/deliveries",
    { ...answering(reads, DELIVERIES_ANSWERS), schema: { params: SourceParameters, querystring: PageQuery } },
    async (request, reply) => {
      const source = await sourceFor(platform, request);
      const page = pageOf(request.query);
      const deliveries = await listDeliveries(db, source.id, rowsOf(page));
      setPageHeaders(request, reply, config.publicUrl, page, await countDeliveries(db, source.id));
      return deliveries.map(deliveryRecord);
    },
  );

  app.post<{ Params: Static<typeof ReplayParameters> }>(
    "/projects/:id/event_sources/:source_id/deliveries/:delivery_id/replay",
    { ...answering(writes, REPLAY_ANSWERS), schema: { params: ReplayParameters } },
    async (request, reply) => {
      const source = await sourceFor(platform, request);
      const { delivery_id: deliveryId } = request.params;
      const recorded = await replayDelivery(platform, source, idIn(deliveryId), readerFor);
      return reply.code(201).send({ status: recorded > 0 ? "accepted" : "ignored", recorded });
    },
  );
}

/** What a source refused, for its maintainers. */
function refusalRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = needsScope(platform, "read_api", "api");
  const path = "/projects/:id/event_sources/:source_id/refusals";
  app.get<OfSource & { Querystring: PageQuery }>(
    path,
    { ...answering(reads, REFUSALS_ANSWERS), schema: { params: SourceParameters, querystring: PageQuery } },
    async (request, reply) => {
      const source = await sourceFor(platform, request);
      const page = pageOf(request.query);
      const [refusals, [counted]] = await Promise.all([
        listRefusals(db, source.id, rowsOf(page)),
        listRefusalCounts(db, [source.id]),
      ]);
      // Includes refusals of which nothing is stored.
      reply.header("x-refused-count", counted?.n ?? 0);
      setPageHeaders(request, reply, config.publicUrl, page, await countRefusals(db, source.id));
      return refusals.map(refusalRecord);
    },
  );
  app.get<{ Params: Static<typeof RefusalParameters> }>(
    `${path}/:refusal_id`,
    { ...answering(reads, REFUSAL_ANSWERS), schema: { params: RefusalParameters } },
    async (request) => {
      const source = await sourceFor(platform, request);
      const refusal = await findRefusal(db, source.id, idIn(request.params.refusal_id));
      if (!refusal) throw new Problem("not_found", "404 Refusal Not Found");
      return keptRefusalRecord(refusal);
    },
  );
}

/** The source of the address, for a Maintainer. @throws Problem not_found, forbidden */
async function sourceFor(platform: Platform, request: FastifyRequest<OfSource>): Promise<Source> {
  const { id, source_id: sourceId } = request.params;
  const project = await projectFor(platform.db, callerOf(request), id, "maintainer");
  const source = await findSource(platform.db, project.id, idIn(sourceId));
  if (!source) throw new Problem("not_found", "404 Event Source Not Found");
  return source;
}

async function recordOf({ db, config }: Platform, source: Source, secret?: string) {
  const identities = await listIdentities(db, [source.id]);
  const byLogin = Object.fromEntries(identities.map(({ told, userId }) => [told, userId]));
  return sourceRecord(source, byLogin, config.publicUrl, secret);
}

function checkedIdentities(given: object | undefined): Record<string, number> | undefined {
  if (given === undefined) return undefined;
  const identities = identitiesOf(given);
  if (!identities) throw new ParameterProblem(["identities is invalid"]);
  return identities;
}
