/** The doors that record the events of other programs: one, a push of several refs, or many (contract-events §1, §2). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { checkSpace } from "../platform/free-space.ts";
import { isObject } from "../platform/json-object.ts";
import { keepsToRoom } from "../platform/large-bodies.ts";
import type { Platform } from "../platform/platform.ts";
import { ParameterProblem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { MAX_BYTES } from "./batch.ts";
import type { Outcome } from "./record-once.ts";
import { listRecorded } from "./store-lists.ts";
import { eventRecord } from "./wire.ts";
import { BULK_ANSWERS, PUSHES_ANSWERS, WRITE_ANSWERS, WRITE_READS } from "./wire-answers.ts";
import { BULK_BODIES, BulkQuery, bulkRecord, rowsOf } from "./wire-bulk.ts";
import { draftOf, EventBody, PushesBody, pushesOfBody, replayKeyOf } from "./wire-write.ts";
import { writeBatch } from "./write-batch.ts";
import { writeEvent, writePushes } from "./write-event.ts";

const BULK =
  "Up to 10,000 rows and 10 MiB inflated, as application/x-ndjson or a JSON array, gzip allowed; a row is a body of POST /projects/:id/events with project_id.";

export function eventWriteRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  const writes = needsScope(platform, "api", "write_events");

  app.post<{ Params: Static<typeof ProjectParameters>; Body: EventBody }>(
    "/projects/:id/events",
    {
      ...answering(writes, WRITE_ANSWERS, WRITE_READS),
      preValidation: needsObject,
      schema: { params: ProjectParameters, body: EventBody },
    },
    async (request, reply) => {
      await checkSpace(platform);
      const caller = callerOf(request);
      const project = await projectFor(db, caller, request.params.id, "developer");
      const draft = draftOf(request.body, replayKeyOf(request.headers["idempotency-key"]));
      const outcome = await writeEvent(db, caller, project, draft);
      const [record] = await recordsOf(platform, outcome);
      return answer(reply, outcome, record);
    },
  );

  app.post<{ Params: Static<typeof ProjectParameters>; Body: PushesBody }>(
    "/projects/:id/pushes",
    {
      ...answering(writes, PUSHES_ANSWERS, WRITE_READS),
      bodyLimit: MAX_BYTES,
      preParsing: keepsToRoom("writes"),
      preValidation: needsObject,
      schema: { params: ProjectParameters, body: PushesBody },
    },
    async (request, reply) => {
      await checkSpace(platform);
      const caller = callerOf(request);
      const project = await projectFor(db, caller, request.params.id, "developer");
      const push = pushesOfBody(request.body, replayKeyOf(request.headers["idempotency-key"]));
      const outcome = await writePushes(db, caller, project, push);
      return answer(reply, outcome, await recordsOf(platform, outcome));
    },
  );

  app.register(async (bulk) => {
    const { config, onRequest } = answering(writes, BULK_ANSWERS);
    // The batch is inflated and read line by line, so that a broken line does not spoil the others.
    bulk.removeAllContentTypeParsers();
    bulk.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    bulk.post<{ Querystring: Static<typeof BulkQuery>; Body: Buffer | undefined }>(
      "/events/bulk",
      {
        onRequest,
        config: { ...config, takes: BULK_BODIES },
        bodyLimit: MAX_BYTES,
        preParsing: keepsToRoom("writes"),
        schema: { querystring: BulkQuery, description: BULK },
      },
      async (request, reply) => {
        await checkSpace(platform);
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const { "content-type": type, "content-encoding": encoding } = request.headers;
        const rows = await rowsOf(body, { type, encoding }, reply.raw);
        const results = await writeBatch(db, callerOf(request), rows, request.query.dry_run ?? false);
        return reply.header("content-type", "application/json").send(JSON.stringify(bulkRecord(results)));
      },
    );
  });
}

/** Refuses a body that is not an object as a whole; for a missing body validation reports the missing members. */
async function needsObject(request: FastifyRequest): Promise<void> {
  const { body } = request;
  if (body === undefined || isObject(body)) return;
  throw new ParameterProblem(["The body is not a JSON object"]);
}

async function recordsOf({ db, config }: Platform, { eventIds, createdAt }: Outcome) {
  const events = await listRecorded(db, eventIds, createdAt);
  return events.map((event) => eventRecord(event, "written", config.publicUrl));
}

function answer(reply: FastifyReply, outcome: Outcome, body: unknown): FastifyReply {
  return reply
    .code(outcome.status === "created" ? 201 : 200)
    .header("content-type", "application/json")
    .send(JSON.stringify(body));
}
