/** Atom feeds of projects and people, and the token that reads them (contract-events §4, feeds; §5). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { visibleProject } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import type { ProjectPages } from "../projects/page-route.ts";
import type { Subject } from "./filter.ts";
import { ensureFeedToken, findFeedReader, replaceFeedToken } from "./store-feeds.ts";
import { listEvents } from "./store-lists.ts";
import { findProfile } from "./store-people.ts";
import { atomFeed } from "./wire-feeds.ts";

const ENTRIES = 20;

/** The token opens private projects to a reader, so that seeing it takes a scope that does. */
export function feedTokenRoutes(app: FastifyInstance, { db, keys, ...platform }: Platform): void {
  const contextOf = (userId: number) => `event_feed_tokens:${userId}`;
  const make = (userId: number) => {
    const secret = newSecret("feedToken");
    return { secret, digest: digest(secret), sealed: keys.seal(secret, contextOf(userId)) };
  };
  app.get("/user/feed_token", needsScope({ db, keys, ...platform }, "read_api", "api"), async (request) => {
    const { id } = callerOf(request);
    const made = make(id);
    const { sealed } = await ensureFeedToken(db, id, made.digest, made.sealed);
    return { feed_token: keys.open(sealed, contextOf(id)) };
  });

  app.post("/user/feed_token/reset", needsScope({ db, keys, ...platform }, "api"), async (request, reply) => {
    const { id } = callerOf(request);
    const made = make(id);
    await replaceFeedToken(db, id, made.digest, made.sealed);
    return reply.code(200).send({ feed_token: made.secret });
  });
}

export function feedPages(pages: ProjectPages, platform: Platform): void {
  const { db } = platform;
  pages.get(".atom", async (request, reply, { projectPath }) => {
    const reader = await readerOf(platform, request);
    if (reader === "unknown") return refuse(reply);
    const { id, visibility, access, fullPath } = await visibleProject(db, reader, projectPath);
    const subject = { projectId: id, visibility, access };
    return sendFeed(platform, reply, { subject, reader, title: `${fullPath} activity`, path: fullPath });
  });

  pages.name(async (request, reply, name) => {
    if (!name.endsWith(".atom")) return undefined;
    const reader = await readerOf(platform, request);
    if (reader === "unknown") return refuse(reply);
    const person = await findProfile(db, name.slice(0, -".atom".length));
    if (!person || (person.privateProfile && reader?.id !== person.id && !reader?.isAdmin)) return undefined;
    const { username } = person;
    const subject = { authorId: person.id };
    return sendFeed(platform, reply, { subject, reader, title: `${person.name} activity`, path: username });
  });
}

/** Nobody without a token; a wrong one is not nobody. */
async function readerOf({ db }: Platform, request: FastifyRequest): Promise<Asker | undefined | "unknown"> {
  const { feed_token: given } = request.query as Record<string, unknown>;
  if (given === undefined) return undefined;
  if (typeof given !== "string") return "unknown";
  return (await findFeedReader(db, digest(given))) ?? "unknown";
}

function refuse(reply: FastifyReply) {
  return reply.code(401).type("text/plain; charset=utf-8").send("401 Unauthorized\n");
}

interface Made {
  subject: Subject;
  reader: Asker | undefined;
  title: string;
  path: string;
}

async function sendFeed(
  { db, config }: Platform,
  reply: FastifyReply,
  { subject, reader, title, path }: Made,
) {
  const { publicUrl } = config;
  const query = { subject, asker: reader, filter: {}, limit: ENTRIES, offset: 0 };
  const { events } = await listEvents(db, query);
  const pageUrl = `${publicUrl}/${path}`;
  // The address of the feed is told without the token, which is nobody else's business.
  const feed = atomFeed({ title, selfUrl: `${pageUrl}.atom`, pageUrl, publicUrl, events });
  return reply
    .header("cache-control", "private, no-cache")
    .type("application/atom+xml; charset=utf-8")
    .send(feed);
}
