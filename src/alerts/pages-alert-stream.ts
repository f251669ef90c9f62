/** Streams to an open list of alerts how many have arrived since it was rendered (decision 0100). */
import type { FastifyRequest } from "fastify";
import { numberIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { createStreams, type ServerSent } from "../platform/server-sent.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { alertListQuery, filterOfQuery } from "./pages-alerts-query.ts";
import { queryMember } from "./pages-frame.ts";
import { projectNow, signedInNow } from "./project-now.ts";
import { countArrived } from "./store-export.ts";
import { watchAlerts } from "./watch-alerts.ts";

/** Registers a function to be called before the service closes. */
export type BeforeClose = (end: () => void) => void;

export function alertStreamPages(pages: ProjectPages, platform: Platform, beforeClose: BeforeClose): void {
  const watch = watchAlerts(platform);
  const streams = createStreams(platform.config.rateLimits);
  beforeClose(streams.end);
  pages.get("/-/alerts/stream", async (request, reply, place) => {
    const reader = String((await signedInNow(platform, request)).userId);
    streams.checkRoom(reader);
    const { id } = await projectNow(platform, request, place, "developer");
    if (request.method === "HEAD") return reply.code(204).send();
    const stream = streams.begin(reply, reader, ": here\n\n", (wake) => watch.add(id, wake), "arrival");
    try {
      await follow(platform, request, place, stream);
    } catch (error) {
      // A viewer whose access ended gets no error; the page shows it when it is reloaded.
      if (!(error instanceof Problem)) request.log.error({ err: error }, "stream of alerts ended");
    } finally {
      stream.stop();
    }
    return reply;
  });
}

async function follow(
  platform: Platform,
  request: FastifyRequest,
  place: PagePlace,
  stream: ServerSent,
): Promise<void> {
  const filter = filterOfQuery(alertListQuery(request));
  let seen = numberIn(queryMember(request, "since")) ?? 0;
  let told = 0;
  const { db } = platform;
  const queries = filter.search ? db.searching : db.pooled;
  for (let reason = await stream.next(); reason !== "end" && !stream.isGone(); reason = await stream.next()) {
    // Access may end while a stream runs, so session and role are checked before alerts are counted.
    const { id } = await projectNow(platform, request, place, "developer");
    if (reason === "heartbeat") await stream.send(": still here\n\n");
    // Counts on from the last count, so that the cost does not grow with the time for which a page is open.
    const { n, last } = await countArrived(queries, id, filter, seen);
    seen = last ?? seen;
    told += n;
    if (n === 0) continue;
    // Checked again, in case the access ended while the alerts were counted.
    await projectNow(platform, request, place, "developer");
    await stream.send(`data: ${told}\n\n`);
  }
}
