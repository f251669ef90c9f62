/** Writes a list of events as a feed, in Atom (RFC 4287) or JSON Feed 1.1 (contract-events §4, feeds; decision 0106). */
import { avatarUrl } from "../accounts/user.ts";
import { cutText } from "../platform/cut-text.ts";
import type { Event } from "./event.ts";
import { deedOf, isAboutProject, nameOf, pageOf } from "./words.ts";

/** The media types of a feed, by format, which is the extension of its address. */
export const FEED_TYPES = { atom: "application/atom+xml", json: "application/feed+json" } as const;
export type FeedFormat = keyof typeof FEED_TYPES;
export const FEED_FORMATS = ["atom", "json"] as const satisfies readonly FeedFormat[];

export interface EventFeed {
  /** The same for all requests for the same feed (RFC 4287 §4.2.6). */
  id: string;
  title: string;
  /** The address of the feed itself, and of the page that it belongs to. */
  selfUrl: string;
  pageUrl: string;
  publicUrl: string;
  events: readonly Event[];
}

/** Returns the feed as JSON Feed 1.1; an entry has the same id in both formats. */
export function jsonFeed({ title, selfUrl, pageUrl, publicUrl, events }: EventFeed): string {
  const { hostname } = new URL(publicUrl);
  const items = events.map((event) => ({
    id: identityOf(event, hostname),
    url: urlOf(event, publicUrl),
    title: shortTitleOf(event),
    content_text: summaryOf(event),
    date_published: event.createdAt.toISOString(),
    authors: [
      {
        name: event.authorName,
        url: `${publicUrl}/${event.authorUsername}`,
        avatar: avatarUrl(event.authorId, publicUrl),
      },
    ],
    tags: event.targetType === null ? [event.action] : [event.action, event.targetType],
  }));
  const version = "https://jsonfeed.org/version/1.1";
  return JSON.stringify({ version, title, home_page_url: pageUrl, feed_url: selfUrl, items });
}

export function atomFeed({ id, title, selfUrl, pageUrl, publicUrl, events }: EventFeed): string {
  const updated = events[0]?.createdAt ?? new Date(0);
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
<title>${escaped(title)}</title>
<link rel="self" type="application/atom+xml" href="${escaped(selfUrl)}"/>
<link rel="alternate" type="text/html" href="${escaped(pageUrl)}"/>
<id>${escaped(id)}</id>
<updated>${updated.toISOString()}</updated>
${events.map((event) => entry(event, publicUrl)).join("\n")}
</feed>
`;
}

function entry(event: Event, publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  const at = event.createdAt.toISOString();
  return `<entry>
<id>${escaped(identityOf(event, hostname))}</id>
<link href="${escaped(urlOf(event, publicUrl))}"/>
<title>${escaped(shortTitleOf(event))}</title>
<updated>${at}</updated>
<author><name>${escaped(event.authorName)}</name><uri>${escaped(`${publicUrl}/${event.authorUsername}`)}</uri></author>
<media:thumbnail width="40" height="40" url="${escaped(avatarUrl(event.authorId, publicUrl))}"/>
<summary>${escaped(summaryOf(event))}</summary>
</entry>`;
}

/** A tag URI (RFC 4151 §2.1, which allows no port), the same for as long as the event is kept. */
function identityOf({ id, createdAt }: Event, hostname: string): string {
  return `tag:${hostname},${createdAt.toISOString().slice(0, 10)}:${id}`;
}

function shortTitleOf(event: Event): string {
  const title = titleOf(event);
  return title.length > 160 ? `${cutText(title, 157)}...` : title;
}

function summaryOf(event: Event): string {
  return event.note?.body ?? event.pushData?.commitTitle ?? event.targetTitle ?? titleOf(event);
}

function titleOf(event: Event): string {
  const { authorName, projectFullPath } = event;
  const isProject = isAboutProject(event);
  const words = [
    authorName,
    deedOf(event),
    isProject ? "" : nameOf(event),
    isProject ? "" : "at",
    projectFullPath,
  ];
  return words.filter(Boolean).join(" ");
}

function urlOf(event: Event, publicUrl: string): string {
  return `${publicUrl}${pageOf(event) ?? `/${event.projectFullPath}`}`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for XML 1.0; characters that XML cannot contain become replacement characters. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\u{FFFD}")
    .replace(/[&<>"]/g, (character) => ENTITIES[character] as string);
}
