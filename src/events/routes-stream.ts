/** Server-sent events: what happens, as it happens, to whoever may see it at that moment (contract-events §4, stream). */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { anyCallerOf, callerOf, mayHaveScope, needsScope } from "../accounts/caller.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { visibleProject } from "../projects/access.ts";
import type { EventFilter, EventQuery } from "./filter.ts";
import { type Arrival, arrivalText, checkPosition, positionAt, readArrival } from "./position.ts";
import { readArrivals } from "./read-arrivals.ts";
import { findHorizon } from "./store-arrivals.ts";
import { type ArrivalWatch, watchArrivals } from "./watch-arrivals.ts";
import { eventRecord, IdParameters, type Listing } from "./wire.ts";
import { EventsQuery, OwnEventsQuery } from "./wire-query.ts";

const { action, target_type, since } = EventsQuery.properties;
const StreamQuery = Type.Object({ action, target_type, since });
type StreamQuery = Static<typeof StreamQuery>;
const OwnStreamQuery = Type.Object({ action, target_type, since, scope: OwnEventsQuery.properties.scope });
type OwnStreamQuery = Static<typeof OwnStreamQuery>;

const HEARTBEAT_MS = 15_000;
/** How long a reader may leave what was sent unread. */
const PATIENCE_MS = 10_000;
const STREAMS_A_PROCESS = 500;
const EVENTS_A_READ = 100;

export function eventStreamRoutes(app: FastifyInstance, platform: Platform): void {
  const streams: Streams = { open: new Set(), watch: watchArrivals(platform) };
  // A stream has no end of its own, and a server that closes waits for its answers.
  app.addHook("preClose", async () => {
    for (const stop of streams.open) stop();
  });
  const readsOwn = needsScope(platform, "read_user", "read_api", "api");
  const readsProject = mayHaveScope(platform, "read_api", "api");

  app.get<{ Querystring: OwnStreamQuery }>(
    "/events/stream",
    { ...readsOwn, exposeHeadRoute: false, schema: { querystring: OwnStreamQuery } },
    async (request, reply) => {
      const seen = async (): Promise<Seen> => {
        const caller = callerOf(request);
        return {
          subject: request.query.scope === "all" ? "memberships" : { authorId: caller.id },
          asker: caller,
        };
      };
      await stream(platform, streams, request, reply, { guard: readsOwn.onRequest, seen, listing: "user" });
    },
  );

  app.get<{ Params: Static<typeof IdParameters>; Querystring: StreamQuery }>(
    "/projects/:id/events/stream",
    { ...readsProject, exposeHeadRoute: false, schema: { querystring: StreamQuery, params: IdParameters } },
    async (request, reply) => {
      const seen = async (): Promise<Seen> => {
        const asker = anyCallerOf(request);
        const { id, visibility, access } = await visibleProject(platform.db, asker, request.params.id);
        return { subject: { projectId: id, visibility, access }, asker };
      };
      const asked = { guard: readsProject.onRequest, seen, listing: "project" } as const;
      await stream(platform, streams, request, reply, asked);
    },
  );
}

type Seen = Pick<EventQuery, "subject" | "asker">;

interface Streams {
  open: Set<() => void>;
  watch: ArrivalWatch;
}

interface Asked {
  /** The guard of the route: asked again while the stream runs. */
  guard: unknown;
  /** What the caller may see now. @throws Problem when it is nothing any more */
  seen: () => Promise<Seen>;
  listing: Listing;
}

async function stream(
  platform: Platform,
  streams: Streams,
  request: FastifyRequest,
  reply: FastifyReply,
  { guard, seen, listing }: Asked,
): Promise<void> {
  if (streams.open.size >= STREAMS_A_PROCESS) {
    throw new Problem("unavailable", "Too many streams are open", { retryAfterSeconds: 30 });
  }
  await seen();
  let position = await startOf(platform, request);
  const raw = begin(reply, position);
  const signal = wakeups(streams, raw);
  const filter = filterOf(request);
  try {
    while (!raw.destroyed && !raw.writableEnded) {
      const reason = await signal.next();
      if (reason === "end") break;
      // Rights end while a stream runs: token, membership and visibility are judged before anything is sent.
      await (guard as (request: FastifyRequest) => Promise<void>)(request);
      const asked = { ...(await seen()), filter, limit: EVENTS_A_READ, offset: 0 };
      if (reason === "heartbeat") await send(raw, ": still here\n\n");
      for (let more = true; more && !raw.destroyed; ) {
        const { events, next } = await readArrivals(platform.db, asked, position);
        for (const event of events) {
          const id = arrivalText({ epoch: next.epoch, transaction: event.arrivedIn, id: event.id });
          const record = eventRecord(event, listing, platform.config.publicUrl);
          await send(raw, `id: ${id}\ndata: ${JSON.stringify(record)}\n\n`);
        }
        position = next;
        more = events.length === EVENTS_A_READ;
      }
    }
  } catch (error) {
    // What is refused ends the stream; the client learns why when it comes back.
    if (!(error instanceof Problem)) request.log.error({ err: error }, "stream of events ended");
  } finally {
    signal.stop();
    raw.end();
  }
}

function filterOf({ query }: FastifyRequest): EventFilter {
  const { action, target_type } = query as StreamQuery;
  return { action, target: target_type };
}

/** Where the client stood, else now. @throws ParameterProblem */
async function startOf({ db }: Platform, request: FastifyRequest): Promise<Arrival> {
  const given = request.headers["last-event-id"] ?? (request.query as StreamQuery).since;
  const now = await findHorizon(db);
  if (typeof given !== "string" || given === "") return positionAt(now);
  const position = readArrival(given);
  checkPosition(position, now);
  return { ...position, epoch: now.epoch };
}

/** Takes the answer out of the framework's hands; the position comes first, so that a client can resume from it. */
function begin(reply: FastifyReply, position: Arrival): ServerResponse {
  const headers = reply.getHeaders() as Record<string, string>;
  reply.hijack();
  reply.raw.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    // Kept alive, the connection would outlive a server that closes.
    connection: "close",
  });
  reply.raw.write(`: here\nid: ${arrivalText(position)}\n\n`);
  return reply.raw;
}

type Reason = "arrival" | "heartbeat" | "end";

/** What a stream waits for; several calls in the meantime count as one. */
function wakeups({ open, watch }: Streams, raw: ServerResponse) {
  let waiting: ((reason: Reason) => void) | undefined;
  let pending: Reason | undefined = "arrival";
  const wake = (reason: Reason) => {
    if (waiting) waiting(reason);
    else if (pending !== "end") pending = reason;
    waiting = undefined;
  };
  const end = () => wake("end");
  const timer = setInterval(() => wake("heartbeat"), HEARTBEAT_MS).unref();
  const forget = watch.add(() => wake("arrival"));
  raw.on("close", end);
  open.add(end);
  return {
    next: (): Promise<Reason> => {
      const reason = pending;
      pending = undefined;
      if (reason) return Promise.resolve(reason);
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    stop: () => {
      clearInterval(timer);
      forget();
      open.delete(end);
    },
  };
}

/** Sends, and waits for a reader who is behind; one who stays behind is cut. */
async function send(raw: ServerResponse, text: string): Promise<void> {
  if (raw.destroyed || raw.write(text)) return;
  await once(raw, "drain", { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => raw.destroy());
}
