/** Whole lists of events as a stream of lines, with the filters of the lists (decision 0107). */
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import { anyCallerOf, callerOf, mayHaveScope, needsScope, passGuard } from "../accounts/caller.ts";
import { UserParameters } from "../accounts/wire-users.ts";
import { answering } from "../platform/answers.ts";
import type { Platform } from "../platform/platform.ts";
import { visibleGroup, visibleProject } from "../projects/access.ts";
import { GroupParameters, ProjectParameters } from "../projects/wire-parameters.ts";
import type { EventFilter } from "./filter.ts";
import { findCommits } from "./find-commits.ts";
import { arrivalText, positionAt } from "./position.ts";
import { fullFilter } from "./routes-list.ts";
import { findSettledHorizon } from "./settled-horizon.ts";
import { ofCaller, ofProject, type Subject } from "./subject.ts";
import { visiblePerson } from "./visible-person.ts";
import { type Seen, walkList } from "./walk-list.ts";
import type { Listing } from "./wire.ts";
import { EXPORT_ANSWERS } from "./wire-answers.ts";
import {
  EXPORT_TYPES,
  type ExportFormat,
  type ExportLines,
  ExportQuery,
  exportLines,
  OwnExportQuery,
} from "./wire-export.ts";

type Asked = { Params: { id: string }; Querystring: ExportQuery };

export function eventExportRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  const readsPeople = answering(needsScope(platform, "read_user", "read_api", "api"), EXPORT_ANSWERS);
  const readsPlaces = answering(mayHaveScope(platform, "read_api", "api"), EXPORT_ANSWERS);
  const querystring = ExportQuery;

  app.get<{ Querystring: OwnExportQuery }>(
    "/events/export",
    { ...readsPeople, schema: { querystring: OwnExportQuery } },
    async (request, reply) => {
      const { scope, ...query } = request.query;
      return answer(platform, reply, query, "user", async () => {
        await passGuard(readsPeople, request);
        const asker = callerOf(request);
        return { subject: ofCaller(asker, scope), asker };
      });
    },
  );

  app.get<Asked>(
    "/users/:id/events/export",
    { ...readsPeople, schema: { querystring, params: UserParameters } },
    async (request, reply) =>
      answer(platform, reply, request.query, "user", async () => {
        await passGuard(readsPeople, request);
        const asker = callerOf(request);
        const subject = (await visiblePerson(db, asker, request.params.id)) ?? NOBODY;
        return { subject, asker };
      }),
  );

  app.get<Asked>(
    "/projects/:id/events/export",
    { ...readsPlaces, schema: { querystring, params: ProjectParameters } },
    async (request, reply) =>
      answer(platform, reply, request.query, "project", async () => {
        await passGuard(readsPlaces, request);
        const asker = anyCallerOf(request);
        return { subject: ofProject(await visibleProject(db, asker, request.params.id)), asker };
      }),
  );

  app.get<Asked>(
    "/groups/:id/events/export",
    { ...readsPlaces, schema: { querystring, params: GroupParameters } },
    async (request, reply) =>
      answer(platform, reply, request.query, "user", async () => {
        await passGuard(readsPlaces, request);
        const asker = anyCallerOf(request);
        const { id: groupId } = await visibleGroup(db, asker, request.params.id);
        return { subject: { kind: "group", groupId }, asker };
      }),
  );
}

/** A private profile looks like one without events: no user has the id 0. */
const NOBODY: Subject = { kind: "author", authorId: 0 };

async function answer(
  platform: Platform,
  reply: FastifyReply,
  query: ExportQuery,
  listing: Listing,
  seen: Seen,
): Promise<FastifyReply> {
  const { format = "ndjson", include, ...asked } = query;
  const { asker } = await seen();
  const filter = await fullFilter(platform, asker, asked);
  return sendExport(platform, reply, { seen, filter, listing, format, include });
}

export interface Export {
  seen: Seen;
  filter: EventFilter;
  listing: Listing;
  format: ExportFormat;
  include?: ExportQuery["include"];
}

/**
 * Sends every event of a list. The last line contains their number; without that line the export is incomplete. It also contains
 * a `since` from which a client can continue without missing anything.
 * @throws Problem of `seen`, before anything is sent
 */
export async function sendExport(
  { db, config, log }: Platform,
  reply: FastifyReply,
  { seen, filter, listing, format, include }: Export,
): Promise<FastifyReply> {
  await seen();
  const nextSince = arrivalText(positionAt(await findSettledHorizon(db)));
  reply
    .headers({
      "cache-control": "private, no-store",
      "content-disposition": `attachment; filename="events.${format}"`,
      "x-next-since": nextSince,
    })
    .type(EXPORT_TYPES[format]);
  // HEAD reads no events. An empty body would have a Content-Length of 0 from the framework, which is not the length of the GET.
  if (reply.request.method === "HEAD") return reply.send(Readable.from([]));
  const lines = exportLines(format, listing, config.publicUrl, include);
  const body = Readable.from(
    linesOf(withCommits(db, walkList(db, seen, filter), format === "csv" ? [] : include), lines, nextSince),
  );
  // An error closes the connection, so that nobody takes a part for the whole.
  body.on("error", (error) => log.warn({ err: error }, "export of events ended early"));
  return reply.send(body);
}

async function* withCommits(
  db: Platform["db"],
  pieces: ReturnType<typeof walkList>,
  include: ExportQuery["include"],
) {
  for await (const events of pieces) {
    yield { events, commits: await findCommits(db, events, include) };
  }
}

async function* linesOf(
  pieces: ReturnType<typeof withCommits>,
  { head, line, end }: ExportLines,
  nextSince: string,
): AsyncGenerator<string> {
  if (head !== "") yield head;
  let sent = 0;
  for await (const { events, commits } of pieces) {
    yield events.map((event) => line(event, commits)).join("");
    sent += events.length;
  }
  yield end(sent, nextSince);
}
