/** The API of heartbeats (decision 0098). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { actOf, callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { numberIn } from "../platform/number-in.ts";
import { onPage, pageOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import type { Heartbeat } from "./heartbeat.ts";
import {
  changeHeartbeat,
  createHeartbeat,
  heartbeatKey,
  heartbeatOf,
  removeHeartbeat,
  rotateHeartbeatKey,
} from "./save-heartbeat.ts";
import { listHeartbeats } from "./store-heartbeats.ts";
import {
  CHANGED_HEARTBEAT_ANSWERS,
  HEARTBEAT_ANSWERS,
  HEARTBEAT_KEY_ANSWERS,
  HEARTBEATS_ANSWERS,
  NEW_HEARTBEAT_ANSWERS,
  REMOVED_HEARTBEAT_ANSWERS,
} from "./wire-answers-heartbeats.ts";
import {
  HeartbeatBody,
  HeartbeatParameters,
  HeartbeatsQuery,
  heartbeatChangeOf,
  heartbeatRecord,
  NewHeartbeatBody,
  newHeartbeatOf,
} from "./wire-heartbeats.ts";

type InProject = { Params: Static<typeof ProjectParameters> };
type OfHeartbeat = { Params: HeartbeatParameters };
const COLLECTION = "/projects/:id/alert_heartbeats";
const ITEM = `${COLLECTION}/:heartbeat_id`;

export function heartbeatRoutes(app: FastifyInstance, platform: Platform): void {
  collectionRoutes(app, platform);
  itemRoutes(app, platform);
}

function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<InProject & { Querystring: Static<typeof HeartbeatsQuery> }>(
    COLLECTION,
    {
      ...answering(needsScope(platform, "read_api", "api"), HEARTBEATS_ANSWERS),
      schema: { params: ProjectParameters, querystring: HeartbeatsQuery },
    },
    async (request, reply) => {
      const project = await projectOf(platform, request);
      const page = pageOf(request.query);
      const beats = await listHeartbeats(db, project.id);
      setPageHeaders(request, reply, config.publicUrl, page, beats.length);
      return onPage(beats, page).map((one) => recordOf(platform, one));
    },
  );
  app.post<InProject & { Body: NewHeartbeatBody }>(
    COLLECTION,
    {
      ...answering(needsScope(platform, "api"), NEW_HEARTBEAT_ANSWERS),
      schema: { params: ProjectParameters, body: NewHeartbeatBody },
    },
    async (request, reply) => {
      const project = await projectOf(platform, request);
      const made = await createHeartbeat(platform, actOf(request), project, newHeartbeatOf(request.body));
      return reply.code(201).send(recordOf(platform, made));
    },
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  app.get<OfHeartbeat>(
    ITEM,
    {
      ...answering(needsScope(platform, "read_api", "api"), HEARTBEAT_ANSWERS),
      schema: { params: HeartbeatParameters },
    },
    async (request) => recordOf(platform, await heartbeatFor(platform, request)),
  );
  app.put<OfHeartbeat & { Body: HeartbeatBody }>(
    ITEM,
    {
      ...answering(needsScope(platform, "api"), CHANGED_HEARTBEAT_ANSWERS),
      schema: { params: HeartbeatParameters, body: HeartbeatBody },
    },
    async (request) => {
      const { id, projectId, projectPath: fullPath } = await heartbeatFor(platform, request);
      const change = heartbeatChangeOf(request.body);
      const project = { id: projectId, fullPath };
      return recordOf(platform, await changeHeartbeat(platform, actOf(request), project, id, change));
    },
  );
  app.post<OfHeartbeat>(
    `${ITEM}/rotate_key`,
    {
      ...answering(needsScope(platform, "api"), HEARTBEAT_KEY_ANSWERS),
      schema: { params: HeartbeatParameters },
    },
    async (request, reply) => {
      const beat = await heartbeatFor(platform, request);
      const changed = await rotateHeartbeatKey(platform, actOf(request), beat);
      return reply.header("cache-control", "no-store").send(recordOf(platform, changed));
    },
  );
  app.delete<OfHeartbeat>(
    ITEM,
    {
      ...answering(needsScope(platform, "api"), REMOVED_HEARTBEAT_ANSWERS),
      schema: { params: HeartbeatParameters },
    },
    async (request, reply) => {
      await removeHeartbeat(platform, actOf(request), await heartbeatFor(platform, request));
      return reply.code(204).send();
    },
  );
}

function recordOf(platform: Platform, beat: Heartbeat) {
  return heartbeatRecord(beat, heartbeatKey(platform, beat), platform.config.publicUrl);
}

function projectOf(platform: Platform, request: FastifyRequest<InProject>) {
  return projectFor(platform.db, callerOf(request), request.params.id, "maintainer");
}

/** Returns the heartbeat of the request's path, for a Maintainer. @throws Problem not_found, forbidden */
async function heartbeatFor(platform: Platform, request: FastifyRequest<OfHeartbeat>): Promise<Heartbeat> {
  const project = await projectOf(platform, request);
  return heartbeatOf(platform.db, project.id, numberIn(request.params.heartbeat_id));
}
