/** Server-sent events: sends events as they happen to whoever may see them at that moment (contract-events §4, stream). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  anyCallerOf,
  callerOf,
  type Guard,
  mayHaveScope,
  needsScope,
  passGuard,
} from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import type { Platform } from "../platform/platform.ts";
import { ParameterProblem, Problem } from "../platform/problem.ts";
import { partyOf } from "../platform/rate-limit.ts";
import Type, { type Static } from "../platform/schema.ts";
import { createStreams, type Streams } from "../platform/server-sent.ts";
import { visibleProject } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import type { EventFilter, EventQuery } from "./filter.ts";
import { type Arrival, arrivalText, checkPosition, positionAt, readArrival } from "./position.ts";
import { readArrivals } from "./read-arrivals.ts";
import { findSettledHorizon } from "./settled-horizon.ts";
import { ofCaller, ofProject } from "./subject.ts";
import { type ArrivalWatch, watchArrivals } from "./watch-arrivals.ts";
import { eventRecord, type Listing } from "./wire.ts";
import { STREAM_ANSWERS, STREAM_READS } from "./wire-answers.ts";
import { EventsQuery, OwnEventsQuery } from "./wire-query.ts";

const { action, target_type, since } = EventsQuery.properties;
const StreamQuery = Type.Object({ action, target_type, since });
type StreamQuery = Static<typeof StreamQuery>;
const OwnStreamQuery = Type.Object({ action, target_type, since, scope: OwnEventsQuery.properties.scope });
type OwnStreamQuery = Static<typeof OwnStreamQuery>;

/** Filters of the lists that streams do not have: if they were ignored, the events of everybody would come instead. */
const LISTS_ONLY = [
  ...["author_id", "author_username", "group_id", "search", "on"],
  ...["before", "after", "created_before", "created_after"],
  ...["not[action]", "not[target_type]", "not[author_id]", "not[author_username]"],
] as const satisfies readonly (keyof EventsQuery)[];

const EVENTS_A_READ = 100;

export function eventStreamRoutes(app: FastifyInstance, platform: Platform): void {
  const streams = createStreams(platform.config.rateLimits);
  const watched: Watched = { streams, watch: watchArrivals(platform) };
  app.addHook("preClose", async () => streams.end());
  const readsOwn = answering(
    needsScope(platform, "read_user", "read_api", "api"),
    STREAM_ANSWERS,
    STREAM_READS,
  );
  const readsProject = answering(mayHaveScope(platform, "read_api", "api"), STREAM_ANSWERS, STREAM_READS);

  app.get<{ Querystring: OwnStreamQuery }>(
    "/events/stream",
    {
      ...readsOwn,
      exposeHeadRoute: false,
      preValidation: checkFilters,
      schema: { querystring: OwnStreamQuery },
    },
    async (request, reply) => {
      const seen = async (): Promise<Seen> => {
        const caller = callerOf(request);
        return { subject: ofCaller(caller, request.query.scope), asker: caller };
      };
      await stream(platform, watched, request, reply, { guard: readsOwn, seen, listing: "user" });
    },
  );

  app.get<{ Params: Static<typeof ProjectParameters>; Querystring: StreamQuery }>(
    "/projects/:id/events/stream",
    {
      ...readsProject,
      exposeHeadRoute: false,
      preValidation: checkFilters,
      schema: { querystring: StreamQuery, params: ProjectParameters },
    },
    async (request, reply) => {
      const seen = async (): Promise<Seen> => {
        const asker = anyCallerOf(request);
        return { subject: ofProject(await visibleProject(platform.db, asker, request.params.id)), asker };
      };
      const asked = { guard: readsProject, seen, listing: "project" } as const;
      await stream(platform, watched, request, reply, asked);
    },
  );
}

/** @throws ParameterProblem: a filter that streams do not have; runs before validation removes it */
async function checkFilters({ query }: FastifyRequest): Promise<void> {
  const given = new Set(Object.keys(query as object).map((name) => name.replace(/\[\d*\]$/, "")));
  const faults = LISTS_ONLY.filter((name) => given.has(name));
  if (faults.length > 0) throw new ParameterProblem(faults.map((name) => `${name} is no filter of streams`));
}

type Seen = Pick<EventQuery, "subject" | "asker">;

interface Watched {
  streams: Streams;
  watch: ArrivalWatch;
}

interface Asked {
  /** The guard of the route, which is checked again while the stream runs. */
  guard: Guard;
  /** What the caller may see now. @throws Problem if that is nothing any more */
  seen: () => Promise<Seen>;
  listing: Listing;
}

async function stream(
  platform: Platform,
  { streams, watch }: Watched,
  request: FastifyRequest,
  reply: FastifyReply,
  { guard, seen, listing }: Asked,
): Promise<void> {
  const reader = readerOf(request);
  streams.checkRoom(reader);
  await seen();
  let position = await startOf(platform, request);
  // The position comes first, so that a client can resume from it.
  const greeting = `: here\nid: ${arrivalText(position)}\n\n`;
  const open = streams.begin(reply, reader, greeting, (wake) => watch.add(wake), "arrival");
  const filter = filterOf(request);
  const judged = async (): Promise<Seen> => {
    await passGuard(guard, request);
    return seen();
  };
  try {
    while (!open.isGone()) {
      const reason = await open.next();
      if (reason === "end") break;
      if (reason === "heartbeat") await open.send(": still here\n\n");
      for (let more = true; more && !open.isGone(); ) {
        // Rights may end while a stream runs, even while it sends missed events. Token, membership and visibility are checked
        // before events are read, and the events are sent only if a check after the read gives the same rights.
        const rights = await judged();
        const asked = { ...rights, filter, limit: EVENTS_A_READ, offset: 0 };
        const horizon = await findSettledHorizon(platform.db);
        const { events, next } = await readArrivals(platform.db.pooled, asked, position, horizon);
        if (events.length > 0 && rightsText(await judged()) !== rightsText(rights)) continue;
        for (const event of events) {
          const id = arrivalText({ epoch: next.epoch, transaction: event.arrivedIn, id: event.id });
          const record = eventRecord(event, listing, platform.config.publicUrl);
          await open.send(`id: ${id}\ndata: ${JSON.stringify(record)}\n\n`);
        }
        position = next;
        more = events.length === EVENTS_A_READ;
      }
    }
  } catch (error) {
    // A refusal ends the stream; the client learns the reason when it reconnects.
    if (!(error instanceof Problem)) request.log.error({ err: error }, "stream of events ended");
  } finally {
    open.stop();
  }
}

/** Whoever the streams count for: the person behind the token, or the visitors of one network. */
function readerOf(request: FastifyRequest): string {
  const caller = anyCallerOf(request);
  return caller ? `user ${caller.id}` : partyOf(request.ip);
}

/** The rights that determine which events are visible, as text to compare. */
function rightsText({ subject, asker }: Seen): string {
  return JSON.stringify([subject, asker?.id, asker?.isAdmin]);
}

function filterOf({ query }: FastifyRequest): EventFilter {
  const { action, target_type } = query as StreamQuery;
  return { action, target: target_type };
}

/** The position that the client sent, else the present one. @throws ParameterProblem */
async function startOf({ db }: Platform, request: FastifyRequest): Promise<Arrival> {
  const header = request.headers["last-event-id"];
  // A client that has no position may send the header empty (HTML, server-sent events).
  const given = header || (request.query as StreamQuery).since;
  const now = await findSettledHorizon(db);
  if (typeof given !== "string" || given === "") return positionAt(now);
  const name = header ? "Last-Event-ID" : "since";
  const position = readArrival(given, name);
  checkPosition(position, now, name);
  return { ...position, epoch: now.epoch };
}
