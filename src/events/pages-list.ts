/** What all pages of activity share: they parse the query, list or download the events, and show them with their filters. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { SignInNeeded } from "../accounts/browser.ts";
import { viewerNow } from "../accounts/viewer-now.ts";
import type { Platform } from "../platform/platform.ts";
import { type Asker, askerOf } from "../projects/asker.ts";
import type { Html } from "../ui/html.ts";
import type { FeedLink } from "../ui/layout.ts";
import type { Message } from "../ui/message.ts";
import type { EventFilter } from "./filter.ts";
import { addressOf, EVENTS_A_PAGE, type Feed, feedCard, feedQuery, type PageFilter } from "./pages-feed.ts";
import { sendExport } from "./routes-export.ts";
import { findDay } from "./store-calendar.ts";
import { listEvents } from "./store-lists.ts";
import type { Subject } from "./subject.ts";
import type { Listing } from "./wire.ts";
import { EXPORT_FORMATS } from "./wire-export.ts";
import { FEED_FORMATS, FEED_TYPES } from "./wire-feeds.ts";

/** A page's list of events. */
export interface Activity extends Pick<Feed, "heading" | "path" | "namesProjects" | "nothing" | "days"> {
  subject: Subject;
  asker: Asker | undefined;
  /** Finds the subject again while a download runs, for its asker as of then. @throws Problem once they may not see it */
  subjectNow: (asker: Asker | undefined) => Promise<Subject>;
  listing: Listing;
  /** The time zone of a day in the calendar. */
  zone?: string;
}

/** The card of the events that the query asks for; undefined: it asks for a download, which has been started. */
export async function activityCard(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { subject, asker, subjectNow, listing, zone = "UTC", ...shown }: Activity,
): Promise<{ card: Html; messages: Message[]; asked: PageFilter } | undefined> {
  const query = feedQuery(request.query, subject);
  const filter = await wholeFilter(platform, query.filter, zone);
  const { export: wanted } = request.query as Record<string, unknown>;
  const format = EXPORT_FORMATS.find((word) => word === wanted);
  if (format) {
    const seen = async () => {
      const now = asker && (await sameViewer(platform, request, asker));
      return { subject: await subjectNow(now), asker: now };
    };
    await sendExport(platform, reply, { seen, filter, listing, format });
    return undefined;
  }
  const offset = (query.page - 1) * EVENTS_A_PAGE;
  const found = await listEvents(platform.db, { subject, asker, filter, limit: EVENTS_A_PAGE, offset });
  const { events, total } = found;
  const card = feedCard({ ...shown, subject, query, events, total, zone, now: new Date() });
  return { card, messages: query.messages, asked: query.filter };
}

/** The viewer with the rights of now. @throws SignInNeeded: the session is over, or the account blocked */
async function sameViewer(platform: Platform, request: FastifyRequest, { id }: Asker): Promise<Asker> {
  const viewer = await viewerNow(platform, request);
  if (viewer?.userId !== id) throw new SignInNeeded();
  return askerOf(viewer);
}

/** The filter in the form that lists take. */
export async function wholeFilter(
  { db }: Platform,
  { on, person, ...filter }: PageFilter,
  zone: string,
): Promise<EventFilter> {
  const authorNames = person === undefined ? undefined : [person.toLowerCase()];
  return { ...filter, authorNames, ...(on === undefined ? {} : await findDay(db, on, zone)) };
}

/** The feeds for the head of a page; they keep its filters, except a day of the calendar. */
export function feedsAt(path: string, title: string, filter: PageFilter = {}): FeedLink[] {
  const names = { atom: "Atom", json: "JSON Feed" };
  return FEED_FORMATS.map((format) => ({
    type: FEED_TYPES[format],
    title: `${title} (${names[format]})`,
    href: `${path}.${format}${addressOf({ ...filter, on: undefined }, {})}`,
  }));
}
