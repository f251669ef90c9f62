/**
 * Feeds of projects, groups and people, the year of a person, and the token for feed readers (contract-events §4, feeds; §5;
 * decision 0106).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { actOf, needsScope } from "../accounts/caller.ts";
import { movedNamespace } from "../accounts/moved-namespace.ts";
import { answering } from "../platform/answers.ts";
import type { Db } from "../platform/db.ts";
import { matchesTag } from "../platform/entity-tag.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { zoneOfDatabase } from "../platform/time-zone.ts";
import { groupAt, visibleProject } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import type { Group } from "../projects/group.ts";
import { addressNow } from "../projects/open-project-page.ts";
import { Moved, type ProjectPages } from "../projects/page-route.ts";
import { tagOf } from "./list-tag.ts";
import { addressOf, feedQuery } from "./pages-feed.ts";
import { wholeFilter } from "./pages-list.ts";
import { feedTokenOf, resetFeedToken } from "./reset-feed-token.ts";
import { findToday, listContributions } from "./store-calendar.ts";
import { findFeedReader } from "./store-feeds.ts";
import { listEvents } from "./store-lists.ts";
import { findProfile } from "./store-people.ts";
import { findSummary } from "./store-summary.ts";
import { ofProject, type Subject } from "./subject.ts";
import { isHiddenFrom, renamedProfile } from "./visible-person.ts";
import { calendarRecord } from "./wire.ts";
import { FEED_TOKEN_ANSWERS } from "./wire-answers-feeds.ts";
import { atomFeed, FEED_FORMATS, FEED_TYPES, type FeedFormat, jsonFeed } from "./wire-feeds.ts";
import { yearBefore } from "./year-before.ts";

const ENTRIES = 20;

/** Where clients of the GitLab v4 API look for the feed of all of one's projects; no namespace can have this path. */
export const OWN_PROJECTS = "dashboard/projects";

/** The token lets a feed reader read private projects, so showing it takes a scope that does too. */
export function feedTokenRoutes(app: FastifyInstance, platform: Platform): void {
  const reads = needsScope(platform, "read_api", "api");
  app.get("/user/feed_token", answering(reads, FEED_TOKEN_ANSWERS), async (request) => ({
    feed_token: await feedTokenOf(platform, actOf(request)),
  }));
  const writes = needsScope(platform, "api");
  app.post("/user/feed_token/reset", answering(writes, FEED_TOKEN_ANSWERS), async (request, reply) => {
    const secret = await resetFeedToken(platform, actOf(request));
    return reply.code(200).send({ feed_token: secret });
  });
}

/**
 * The feeds `/<group>/<project>.atom`, `/<group…>.atom`, `/<username>.atom` and `/dashboard/projects.atom`, and each as `.json`
 * (decision 0106).
 */
export function feedPages(pages: ProjectPages, platform: Platform): void {
  const { db } = platform;
  for (const format of FEED_FORMATS) {
    pages.get(`.${format}`, async (request, reply, { projectPath }) => {
      const reader = await readerOf(platform, request);
      if (reader === "unknown") return refuse(reply);
      if (projectPath === OWN_PROJECTS && reader) {
        const made = {
          subject: { kind: "memberships" },
          title: "Activity of your projects",
          path: OWN_PROJECTS,
        } as const;
        return sendFeed(platform, request, reply, { format, reader, ...made, pagePath: "-/activity" });
      }
      // A group may have a path of two segments too.
      const group = await groupAt(db, reader, projectPath);
      if (group) return sendFeed(platform, request, reply, { format, reader, ...ofGroup(group) });
      const project = await visibleProject(db, reader, projectPath).catch(async (error) => {
        const now = await pathNow(db, reader, projectPath);
        throw now === undefined ? error : new Moved(feedAt(now, format, request));
      });
      const moved = addressNow(request, projectPath, project);
      if (moved !== undefined) throw new Moved(moved);
      const { fullPath } = project;
      const subject = ofProject(project);
      const made = { format, subject, reader, title: `${fullPath} activity`, path: fullPath };
      return sendFeed(platform, request, reply, made);
    });
  }

  pages.name(async (request, reply, name) => {
    const format = FEED_FORMATS.find((ending) => name.endsWith(`.${ending}`));
    if (!format) return undefined;
    const reader = await readerOf(platform, request);
    if (reader === "unknown") return refuse(reply);
    const path = name.slice(0, -format.length - 1);
    const group = await groupAt(db, reader, path);
    if (group) return sendFeed(platform, request, reply, { format, reader, ...ofGroup(group) });
    const person = await findProfile(db, path);
    const now = person ? undefined : await pathNow(db, reader, path);
    if (now !== undefined) return reply.redirect(feedAt(now, format, request), 301);
    if (!person || isHiddenFrom(person, reader)) return undefined;
    const subject: Subject = { kind: "author", authorId: person.id };
    const made = { format, subject, reader, title: `${person.name} activity`, path: person.username };
    return sendFeed(platform, request, reply, made);
  });
}

/** `/users/:username/calendar.json`, the year of a person's page, at the address that clients of GitLab use (decision 0261). */
export function calendarFeed(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  app.get<{ Params: { username: string } }>("/users/:username/calendar.json", async (request, reply) => {
    const reader = await readerOf(platform, request);
    if (reader === "unknown") return refuse(reply);
    const { username } = request.params;
    const person = await findProfile(db, username);
    const renamed = person ? undefined : await renamedProfile(db, reader, username);
    if (renamed) {
      return reply.redirect(`/users/${renamed.username}/calendar.json${queryOf(request)}`, 301);
    }
    if (!person || isHiddenFrom(person, reader)) throw new Problem("not_found", "404 Not Found");
    const zone = zoneOfDatabase(person.timeZone);
    const to = await findToday(db, zone);
    const subject: Subject = { kind: "author", authorId: person.id };
    const given = await listContributions(db, { subject, asker: reader }, { from: yearBefore(to), to, zone });
    return reply.header("cache-control", "private, no-cache").send(calendarRecord(given));
  });
}

/** The present path of the group or person that had this path, if the reader may see it (decision 0122). */
async function pathNow(db: Db, reader: Asker | undefined, path: string): Promise<string | undefined> {
  const moved = await movedNamespace(db, path);
  const group = moved?.kind === "group" ? await groupAt(db, reader, moved.fullPath) : undefined;
  return group?.fullPath ?? (await renamedProfile(db, reader, path))?.username;
}

/** The address of the same feed at another path; the token and the filters stay. */
function feedAt(path: string, format: FeedFormat, request: FastifyRequest): string {
  return `/${path}.${format}${queryOf(request)}`;
}

/** The query of an address with its question mark, or nothing. */
function queryOf({ url }: FastifyRequest): string {
  return url.slice(url.split("?", 1)[0]?.length);
}

function ofGroup({ id, fullPath }: Group): Pick<Made, "subject" | "title" | "path"> {
  return { subject: { kind: "group", groupId: id }, title: `${fullPath} activity`, path: fullPath };
}

/** The reader by the feed token in the address; undefined without one, `unknown` with a wrong one. */
async function readerOf({ db }: Platform, request: FastifyRequest): Promise<Asker | undefined | "unknown"> {
  const { feed_token: given } = request.query as Record<string, unknown>;
  if (given === undefined) return undefined;
  if (typeof given !== "string") return "unknown";
  return (await findFeedReader(db, digest(given))) ?? "unknown";
}

/** Feed readers show the text. A 401 must have a challenge, and browsers open no dialog for Bearer (RFC 9110 §15.5.2). */
function refuse(reply: FastifyReply) {
  return reply
    .code(401)
    .headers({ "www-authenticate": 'Bearer realm="Gatehouse"', "cache-control": "no-store" })
    .type("text/plain; charset=utf-8")
    .send("401 Unauthorized\n");
}

interface Made {
  format: FeedFormat;
  subject: Subject;
  reader: Asker | undefined;
  title: string;
  path: string;
  /** The path of its page, if it is another. */
  pagePath?: string;
}

/** Sends the feed, or 304 without reading events if the reader has it already. */
async function sendFeed(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { format, subject, reader, title, path, pagePath = path }: Made,
) {
  const { db, config } = platform;
  const { publicUrl } = config;
  // The filters of the activity page, except a day of the calendar: that is a day of one time zone, and soon over.
  const asked = { ...feedQuery(request.query, subject).filter, on: undefined };
  const filter = await wholeFilter(platform, asked, "UTC");
  const query = { subject, asker: reader, filter, limit: ENTRIES, offset: 0 };
  const feedUrl = `${publicUrl}/${path}`;
  const address = addressOf(asked, {});
  const tagFor = ({ version, total }: { version: string; total: number }) =>
    tagOf([format, version, total, title, feedUrl, address, reader]);
  const given = request.headers["if-none-match"];
  reply.header("cache-control", "private, no-cache");
  const known = given === undefined ? undefined : await findSummary(db, query);
  if (known && matchesTag(given, tagFor(known))) {
    return reply.header("etag", tagFor(known)).code(304).send();
  }
  const found = await listEvents(db, query);
  // The feed's own address is given without the token, which is secret.
  const feed = {
    id: `${feedUrl}${address}`,
    title,
    selfUrl: `${feedUrl}.${format}${address}`,
    pageUrl: `${publicUrl}/${pagePath}`,
    publicUrl,
    events: found.events,
  };
  return reply
    .header("etag", tagFor(found))
    .type(`${FEED_TYPES[format]}; charset=utf-8`)
    .send(format === "atom" ? atomFeed(feed) : jsonFeed(feed));
}
