/** The timeline of one thing, and the activity feed of a person or project. */
import { face } from "./face.ts";
import { type Html, html } from "./html.ts";
import { type IconName, icon } from "./icon.ts";
import { agoWords, clockWords, dayHeading, timeTag } from "./time.ts";

/** A step of a timeline: done by a person (`by`), or by the service (`mark`). */
export type TimelineStep = {
  by?: string;
  mark?: { icon: IconName; tone?: "crit" | "ok" | "acc" };
  what: Html;
  when: Html;
  quote?: Html | string | undefined;
};

/** The timeline of one thing, oldest first. */
export function timeline(steps: readonly TimelineStep[]): Html {
  const items = steps.map((step) => {
    const quote = step.quote && html`<div class="quote">${step.quote}</div>`;
    return html`<li>${markOf(step)}<div><p class="what">${step.what} <span class="sub nowrap">${step.when}</span></p>${quote}</div></li>`;
  });
  return html`<ol class="timeline">${items}</ol>`;
}

function markOf(step: TimelineStep): Html {
  if (step.by !== undefined) return face(step.by);
  const { icon: name, tone } = step.mark ?? { icon: "activity" as const };
  return html`<span class="mark${tone ? ` ${tone}` : ""}">${icon(name, 15)}</span>`;
}

/** An event of a feed: who did what; commits and a quote are below. */
export type FeedItem = {
  who: { name: string; href?: string | undefined };
  icon: IconName;
  /** The text after the name: "pushed 3 commits to …". */
  what: Html | string;
  quote?: Html | string | undefined;
  commits?: readonly { id: string; title: string; href?: string | undefined }[] | undefined;
  at: Date;
};

/** A feed, newest first, under a heading for each day (UTC). */
export function feed(items: readonly FeedItem[], now: Date): Html {
  const rows: Html[] = [];
  let heading = "";
  for (const item of items) {
    const day = dayHeading(item.at, now);
    if (day !== heading)
      rows.push(html`<li class="day">${day}</li>
`);
    heading = day;
    rows.push(feedItem(item, now));
  }
  return html`<ol class="feed">
${rows}</ol>`;
}

function feedItem(item: FeedItem, now: Date): Html {
  const { who } = item;
  const name = who.href
    ? html`<a class="title" href="${who.href}">${who.name}</a>`
    : html`<span class="title">${who.name}</span>`;
  return html`<li><span class="by">${face(who.name)}${icon(item.icon, 17)}</span><div><p>${name} ${item.what}</p>${item.quote && html`<div class="quote">${item.quote}</div>`}${commits(item)}</div><span class="when">${timeTag(item.at, whenWords(item.at, now))}</span></li>
`;
}

// Below the heading of a past day, the time says more than "Yesterday".
function whenWords(at: Date, now: Date): string {
  const isToday = at.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  return isToday ? agoWords(at, now) : `${clockWords(at)} UTC`;
}

function commits(item: FeedItem): Html | undefined {
  if (item.commits === undefined || item.commits.length === 0) return undefined;
  const lines = item.commits.map(({ id, title, href }) => {
    const code = html`<code>${id}</code>`;
    return html`<li>${href ? html`<a href="${href}">${code}</a>` : code}<span>${title}</span></li>`;
  });
  return html`<ul class="commits">${lines}</ul>`;
}
