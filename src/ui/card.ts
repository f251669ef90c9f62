/** The surfaces of a page: its head, cards, figures, property lists, tabs and empty states. */
import { wholeNumber } from "./count.ts";
import { attrs, type Html, html } from "./html.ts";
import { emptyArt } from "./icon.ts";
import type { FeedLink } from "./layout.ts";

/** The head of a page: what is above the heading (badges), the only h1, a lead, and the page's actions. */
export type PageHead = {
  heading: Html | string;
  above?: Html | undefined;
  lead?: Html | string | undefined;
  actions?: readonly (Html | false | undefined)[] | undefined;
};

/** A heading of more characters gets a line of its own, in smaller letters. */
const LONG_HEADING = 80;

/** The head of a page. */
export function pageHead(head: PageHead): Html {
  const heading = html`<h1${attrs({ class: head.above ? "mt-s" : undefined })}>${head.heading}</h1>`;
  const above = head.above && html`<div class="row">${head.above}</div>`;
  const actions = head.actions?.filter(Boolean) ?? [];
  const isLong = typeof head.heading === "string" && head.heading.length > LONG_HEADING;
  return html`<div class="${isLong ? "page-head long" : "page-head"}"><div>${above}${heading}${head.lead && html`<p>${head.lead}</p>`}</div>${actions.length > 0 && html`<div class="btn-row">${actions}</div>`}</div>`;
}

/** A card; `body` is padded, `flush` (tables, feeds, toolbars) is not; `once` is for content shown only once. */
export type Card = {
  /** The id of the section; its heading is `<id>-heading`. */
  id: string;
  heading: string;
  lead?: Html | string | undefined;
  /** Content at the right of the heading. */
  aside?: Html | undefined;
  flush?: Html | undefined;
  body?: Html | undefined;
  footer?: Html | undefined;
  once?: boolean;
};

/** A card with a heading. */
export function card(parts: Card): Html {
  return html`<section class="card${parts.once ? " once" : ""}" id="${parts.id}" aria-labelledby="${parts.id}-heading">
<header><div><h2 id="${parts.id}-heading">${parts.heading}</h2>${parts.lead && html`<p>${parts.lead}</p>`}</div>${parts.aside}</header>
${parts.flush}${parts.body && html`<div class="body">${parts.body}</div>`}
${parts.footer && html`<footer>${parts.footer}</footer>`}
</section>`;
}

/** A card without a visible heading, for lists that follow the page's own heading. */
export function bareCard(label: string, inside: Html, footer?: Html): Html {
  return html`<section class="card" aria-label="${label}">${inside}${footer && html`<footer>${footer}</footer>`}</section>`;
}

/** Cards and other blocks below each other. */
export function stack(blocks: readonly (Html | false | undefined)[]): Html {
  return html`<div class="stack">${blocks}</div>`;
}

/** A wide column beside a narrow one; they stack on narrow screens. */
export function columns(wide: readonly (Html | false)[], narrow: readonly (Html | false)[]): Html {
  return html`<div class="cols"><div>${wide}</div><div>${narrow}</div></div>`;
}

/** Key figures: a number, its unit in small type, and what it counts. */
export function figures(
  all: readonly { label: string; value: Html | string | number; unit?: string }[],
): Html {
  const items = all.map(
    ({ label, value, unit }) =>
      html`<div><dt>${label}</dt><dd>${typeof value === "number" ? wholeNumber(value) : value}${unit && html` <small>${unit}</small>`}</dd></div>`,
  );
  return html`<dl class="figures">${items}</dl>`;
}

/** Names and values; undefined values are left out. */
export function properties(all: readonly (readonly [string, Html | string | number | undefined])[]): Html {
  const shown = all.filter(([, value]) => value !== undefined);
  return html`<dl class="props">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A tab, which is a link; the current one is marked. */
export type Tab = { label: string; href: string; count?: number | undefined; current?: boolean };

/** A row of tabs; `inCard` when it is the first thing in a card. */
export function tabs(label: string, all: readonly Tab[], inCard = false): Html {
  const links = all.map((tab) => {
    const count = tab.count === undefined ? "" : html` <span class="n">${wholeNumber(tab.count)}</span>`;
    return html`<a href="${tab.href}"${attrs({ "aria-current": tab.current ? "page" : undefined })}>${tab.label}${count}</a>`;
  });
  return html`<nav class="tabs${inCard ? " in-card" : ""}" aria-label="${label}">${links}</nav>`;
}

/** An empty list: what will be here, and the next step; placed inside a card. */
export function emptyState(empty: {
  heading: string;
  text: Html | string;
  action?: Html | undefined;
  /** 2 if no card heading is above it, so that no heading level is skipped (WCAG 1.3.1). */
  level?: 2 | 3 | undefined;
}): Html {
  const heading = empty.level === 2 ? html`<h2>${empty.heading}</h2>` : html`<h3>${empty.heading}</h3>`;
  return html`<div class="empty">${emptyArt}${heading}<p>${empty.text}</p>${empty.action}</div>`;
}

/** A card of the start page, provided by another slice through `page-doors.ts`; undefined if there is nothing to show. */
export type DashboardCard = (
  viewer: { id: number; isAdmin: boolean },
  now: Date,
) => Promise<Html | undefined>;

/** The activity of a group or project that the viewer may see, and its feeds; provided like a `DashboardCard`. */
export type PlaceActivity<Place> = (
  place: Place,
  viewer: { id: number; isAdmin: boolean } | undefined,
  now: Date,
) => Promise<{ card: Html | undefined; feeds: readonly FeedLink[] | undefined }>;

/** The group whose activity is requested. */
export type ActiveGroup = { id: number; fullPath: string; name: string; visibility: string };

/** The project whose activity is requested, with the viewer's role in it. */
export type ActiveProject = ActiveGroup & { access: number };
