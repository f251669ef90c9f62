/** Tells a list of alerts that is open in a browser how many came since it was shown (decision 0100). */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { SignInNeeded } from "../accounts/browser.ts";
import { viewerNow } from "../accounts/viewer-now.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { projectFor } from "../projects/access.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { alertListQuery, filterOfQuery } from "./pages-alerts-query.ts";
import { queryMember } from "./pages-frame.ts";
import { countArrived } from "./store-export.ts";
import { watchAlerts } from "./watch-alerts.ts";
import { numberIn } from "./wire.ts";

const HEARTBEAT_MS = 15_000;
/** How long a reader may leave what was sent unread. */
const PATIENCE_MS = 10_000;
const STREAMS_A_PROCESS = 500;

/** Registers what is to be done before the service closes. */
export type BeforeClose = (end: () => void) => void;

export function alertStreamPages(pages: ProjectPages, platform: Platform, beforeClose: BeforeClose): void {
  const watch = watchAlerts(platform);
  const open = new Set<() => void>();
  // A stream has no end of its own, and a server that closes waits for its answers.
  beforeClose(() => {
    for (const end of open) end();
  });
  pages.get("/-/alerts/stream", async (request, reply, place) => {
    if (open.size >= STREAMS_A_PROCESS) {
      throw new Problem("unavailable", "Too many lists are open.", { retryAfterSeconds: 30 });
    }
    const { id } = await projectNow(platform, request, place);
    if (request.method === "HEAD") return reply.code(204).send();
    const raw = begin(reply);
    const wake = wakeups(raw, open, (listener) => watch.add(id, listener));
    try {
      await follow(platform, request, place, raw, wake.next);
    } catch (error) {
      // Who may not look any more is told nothing; the page says so when it is loaded again.
      if (!(error instanceof Problem)) request.log.error({ err: error }, "stream of alerts ended");
    } finally {
      wake.stop();
      raw.end();
    }
    return reply;
  });
}

/** The project, if whoever holds the session may see its alerts at this moment. */
async function projectNow(platform: Platform, request: FastifyRequest, { projectPath }: PagePlace) {
  const viewer = await viewerNow(platform, request);
  if (!viewer) throw new SignInNeeded();
  const asker = { id: viewer.userId, isAdmin: viewer.isAdmin };
  return projectFor(platform.db, asker, projectPath, "developer");
}

async function follow(
  platform: Platform,
  request: FastifyRequest,
  place: PagePlace,
  raw: ServerResponse,
  next: () => Promise<"arrival" | "heartbeat" | "end">,
): Promise<void> {
  const filter = filterOfQuery(alertListQuery(request));
  const since = numberIn(queryMember(request, "since") ?? "") ?? 0;
  let told = 0;
  for (let reason = await next(); reason !== "end" && !raw.destroyed; reason = await next()) {
    // Rights end while a stream runs: session and role are judged before anything is sent.
    const { id } = await projectNow(platform, request, place);
    if (reason === "heartbeat") await send(raw, ": still here\n\n");
    const count = await countArrived(platform.db, id, filter, since);
    if (count !== told) await send(raw, `data: ${count}\n\n`);
    told = count;
  }
}

/** Takes the answer out of the framework's hands. */
function begin(reply: FastifyReply): ServerResponse {
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
  reply.raw.write(": here\n\n");
  return reply.raw;
}

type Reason = "arrival" | "heartbeat" | "end";

/** What a stream waits for; several calls in the meantime count as one. */
function wakeups(raw: ServerResponse, open: Set<() => void>, listen: (wake: () => void) => () => void) {
  let waiting: ((reason: Reason) => void) | undefined;
  let pending: Reason | undefined;
  const wake = (reason: Reason) => {
    if (waiting) waiting(reason);
    else if (pending !== "end") pending = reason;
    waiting = undefined;
  };
  const end = () => wake("end");
  const timer = setInterval(() => wake("heartbeat"), HEARTBEAT_MS).unref();
  const forget = listen(() => wake("arrival"));
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
