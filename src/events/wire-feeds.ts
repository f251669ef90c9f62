/** A list of events as an Atom feed (RFC 4287; contract-events §4, feeds). */
import { actionName, type Event } from "./event.ts";

export interface AtomFeed {
  title: string;
  /** Where the feed itself stands, and the page that it is of. */
  selfUrl: string;
  pageUrl: string;
  publicUrl: string;
  events: readonly Event[];
}

export function atomFeed({ title, selfUrl, pageUrl, publicUrl, events }: AtomFeed): string {
  const updated = events[0]?.createdAt ?? new Date(0);
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${escaped(title)}</title>
<link rel="self" type="application/atom+xml" href="${escaped(selfUrl)}"/>
<link rel="alternate" type="text/html" href="${escaped(pageUrl)}"/>
<id>${escaped(pageUrl)}</id>
<updated>${updated.toISOString()}</updated>
${events.map((event) => entry(event, publicUrl)).join("\n")}
</feed>
`;
}

function entry(event: Event, publicUrl: string): string {
  const { host } = new URL(publicUrl);
  const at = event.createdAt.toISOString();
  const title = titleOf(event);
  return `<entry>
<id>tag:${escaped(host)},${at.slice(0, 10)}:${event.id}</id>
<link href="${escaped(`${publicUrl}/${event.projectFullPath}`)}"/>
<title>${escaped(title.length > 160 ? `${title.slice(0, 157)}...` : title)}</title>
<updated>${at}</updated>
<author><name>${escaped(event.authorName)}</name><uri>${escaped(`${publicUrl}/${event.authorUsername}`)}</uri></author>
<summary>${escaped(event.note?.body ?? event.pushData?.commitTitle ?? event.targetTitle ?? title)}</summary>
</entry>`;
}

function titleOf(event: Event): string {
  const { targetType, targetIid, targetTitle, pushData } = event;
  const what = pushData
    ? `${pushData.refType} ${pushData.ref ?? ""}`
    : [targetType, targetIid === null ? undefined : `#${targetIid}`, targetTitle].filter(Boolean).join(" ");
  return `${event.authorName} ${actionName(event)} ${what} at ${event.projectFullPath}`.replace(/ +/g, " ");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** What XML 1.0 cannot hold at all becomes a replacement character. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\u{FFFD}")
    .replace(/[&<>"]/g, (character) => ENTITIES[character] as string);
}
