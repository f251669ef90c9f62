/** The parts that the activity page of a project and the page of a person share: filters, feed and pager. */
import { queryPage } from "../platform/page-query.ts";
import { parseDay } from "../platform/parameters.ts";
import { ref } from "../ui/badge.ts";
import { linkButton } from "../ui/button.ts";
import { card, emptyState } from "../ui/card.ts";
import { bareSelect, withChosen } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import type { IconName } from "../ui/icon.ts";
import type { Message } from "../ui/message.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { stepPager } from "../ui/table.ts";
import { dayWords, zoneWords } from "../ui/time.ts";
import { type FeedItem, feed } from "../ui/timeline.ts";
import { dateFilter, headerFilter, wordFilter } from "../ui/toolbar.ts";
import { ACTIONS, type Action, type Event } from "./event.ts";
import {
  ABSENT_TARGETS,
  type AskedTarget,
  type EventFilter,
  TARGET_FILTERS,
  type TargetFilter,
} from "./filter.ts";
import { isOfMany, type Subject } from "./subject.ts";
import { deedOf, isAboutProject, nameOf, pageOf } from "./words.ts";

export const EVENTS_A_PAGE = 20;

/** The query of an activity page, and messages about invalid parameters. */
export interface FeedQuery {
  filter: PageFilter;
  page: number;
  messages: Message[];
}

/** The filters of pages; those by word take several (decision 0095). */
export type PageFilter = Pick<EventFilter, "after" | "before"> & {
  action?: readonly Action[] | undefined;
  target?: readonly AskedTarget[] | undefined;
  /** One day in the page's time zone, as the calendar links to it. */
  on?: string | undefined;
  /** By this person, a username. */
  person?: string | undefined;
};

/** Parses the query. Invalid parameters are reported and left out; a person is left out where all events are by one. */
export function feedQuery(query: unknown, subject: Subject): FeedQuery {
  const given = (query ?? {}) as Record<string, unknown>;
  const messages: Message[] = [];
  const dayOf = (name: keyof typeof LABELS): string | undefined => {
    const text = given[name];
    if (text === undefined || text === "") return undefined;
    const day = typeof text === "string" ? parseDay(text) : undefined;
    if (!day) messages.push({ kind: "bad", text: `${LABELS[name]} is a day written like 2026-11-18.` });
    return day;
  };
  return {
    filter: {
      action: wordsIn(given, "action", ACTIONS),
      // What does not exist here matches nothing, instead of everything (decision 0304).
      target: wordsIn(given, "target_type", [...TARGET_FILTERS, ...ABSENT_TARGETS]),
      after: dayOf("after"),
      before: dayOf("before"),
      on: dayOf("on"),
      person: isOfMany(subject) ? usernameOf(given.author_username) : undefined,
    },
    page: queryPage({ query: given }),
    messages,
  };
}

/** The known words of a filter, written with commas or as `name[]` or `name[0]`; undefined: there are none. */
function wordsIn<Word extends string>(
  given: Readonly<Record<string, unknown>>,
  name: string,
  known: readonly Word[],
): Word[] | undefined {
  const values = Object.entries(given).flatMap(([key, value]) =>
    key.replace(/\[\d*\]$/, "") === name ? value : [],
  );
  const asked = new Set(values.flatMap((value) => (typeof value === "string" ? value.split(",") : [])));
  const words = known.filter((word) => asked.has(word));
  return words.length > 0 ? words : undefined;
}

/** A username as people type it, with or without `@`. */
function usernameOf(given: unknown): string | undefined {
  const name = typeof given === "string" ? given.trim().replace(/^@/, "") : "";
  return name === "" || name.length > 255 ? undefined : name;
}

const LABELS = { after: "After", before: "Before", on: "On" };

export interface Feed {
  heading: string;
  /** Where the filter form and the pager link to. */
  path: string;
  query: FeedQuery;
  events: readonly Event[];
  total: number;
  now: Date;
  /** Names the project of each event, for feeds over several. */
  namesProjects: boolean;
  subject: Subject;
  /** The time zone of `on`. */
  zone: string;
  /** Shown where nothing has happened yet. */
  nothing: { heading: string; text: Html | string };
  /** The days for which the project keeps events, if fewer than two years (decision 0119). */
  days?: number | null;
}

/** The card of a feed with its filters, its pager and what to do when it is empty. */
export function feedCard(made: Feed): Html {
  const { path, query, events, total, now, namesProjects } = made;
  const { filter, page } = query;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const hrefFor = (target: number) =>
    `${path}${addressOf(filter, { page: target > 1 ? String(target) : undefined })}`;
  const download = (format: string, words: string) =>
    html`<a href="${`${path}${addressOf(filter, { export: format })}`}" rel="nofollow">${words}</a>`;
  const none = isFiltered
    ? emptyState({
        heading: "Nothing matches",
        text: "No event matches these filters.",
        action: linkButton("Show all", path),
      })
    : emptyState(made.nothing);
  const empty = page > 1 ? pastTheEnd("events", hrefFor(1)) : none;
  const items = events.map((event) => feedItem(event, namesProjects));
  return card({
    id: "feed",
    heading: made.heading,
    lead:
      filter.on &&
      html`On ${dayWords(new Date(filter.on))}, ${zoneWords(made.zone)}. <a href="${`${path}${addressOf({ ...filter, on: undefined }, {})}`}">Every day</a>`,
    aside: headerFilter({
      label: "Filter activity",
      action: path,
      filters: filters(filter, made.subject),
      keep: { on: filter.on },
      isFiltered: Object.entries(filter).some(([name, value]) => name !== "on" && value !== undefined),
    }),
    flush: items.length > 0 ? feed(items, now) : empty,
    footer: html`<span>Events are kept for ${made.days ? `${made.days} ${made.days === 1 ? "day" : "days"}` : "2 years"}. Before and after are days of UTC. Download as ${download("csv", "CSV")} or ${download("ndjson", "NDJSON")}.</span>${stepPager(
      {
        newerHref: page > 1 && items.length > 0 ? hrefFor(page - 1) : undefined,
        olderHref: page * EVENTS_A_PAGE < total ? hrefFor(page + 1) : undefined,
        label: "Activity pages",
      },
    )}`,
  });
}

/** The query string for a filter, with its question mark; empty if it restricts nothing. */
export function addressOf(filter: PageFilter, more: Record<string, string | undefined>): string {
  const { action, target, after, before, on, person } = filter;
  const query = new URLSearchParams();
  const words = { action: action?.join(), target_type: target?.join() };
  const asked = { ...words, author_username: person, after, before, on, ...more };
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Labels of the actions in a select. */
export const ACTION_LABELS: Readonly<Record<Action, string>> = {
  pushed: "Pushed",
  commented: "Commented",
  created: "Opened or created",
  closed: "Closed",
  reopened: "Reopened",
  merged: "Merged",
  approved: "Approved",
  updated: "Updated",
  destroyed: "Destroyed",
  joined: "Joined",
  left: "Left",
  expired: "Expired",
};
/** Labels of the targets in a select. */
export const TARGET_LABELS: Readonly<Record<TargetFilter, string>> = {
  issue: "Issues",
  merge_request: "Merge requests",
  note: "Comments",
  milestone: "Milestones",
  project: "Projects",
  snippet: "Snippets",
  user: "People",
  wiki: "Wiki pages",
  push: "Pushes",
  discussion_note: "Comments in threads",
  diff_note: "Comments on changes",
};

function filters({ action, target, after, before, person }: PageFilter, subject: Subject): Html[] {
  return [
    wordSelect({ name: "action", label: "Action", none: "Every action", labels: ACTION_LABELS }, action),
    wordSelect({ name: "target_type", label: "Target", none: "Every target", labels: TARGET_LABELS }, target),
    ...(isOfMany(subject)
      ? [named("Person", wordFilter("author_username", "Person", "Username", person))]
      : []),
    named("After", dateFilter("after", "After", after)),
    named("Before", dateFilter("before", "Before", before)),
  ];
}

interface WordFilter {
  name: string;
  label: string;
  /** What no word means. */
  none: string;
  labels: Readonly<Record<string, string>>;
}

function wordSelect({ name, label, none, labels }: WordFilter, words: readonly string[] | undefined): Html {
  const all = Object.entries({ "": none, ...labels }).map(([value, text]) => ({ value, label: text }));
  // Several words, and those of what does not exist here, come from an address; the form keeps them as one more choice.
  const told = words?.map((word) => labels[word] ?? word).join(", ") ?? "";
  return bareSelect(name, label, words?.join(), withChosen(all, words?.join(), told));
}

// Visible labels: two empty date fields look alike, and a field should say what it is for when it is filled in, too.
function named(label: string, field: Html): Html {
  return html`<label><span class="sub">${label}</span>${field}</label>`;
}

/** An event as a line of a feed. */
export function feedItem(event: Event, namesProject: boolean): FeedItem {
  const { pushData, note } = event;
  const where = namesProject && !isAboutProject(event) ? html` in ${projectLink(event)}` : undefined;
  const commit = pushData?.commitTo && pushData.commitTitle;
  return {
    who: { name: event.authorName, href: `/${event.authorUsername}` },
    icon: iconOf(event),
    what: html`${wordsOf(event)}${where}`,
    quote: note ? shortened(note.body) : undefined,
    commits: commit ? [{ id: (pushData?.commitTo ?? "").slice(0, 7), title: commit }] : undefined,
    at: event.createdAt,
  };
}

function wordsOf(event: Event): Html {
  const deed = deedOf(event);
  if (isAboutProject(event)) return html`${deed} ${projectLink(event)}`;
  const name = nameOf(event);
  if (event.pushData) return name === "" ? html`${deed}` : html`${deed} ${ref(name)}`;
  const page = pageOf(event);
  return page
    ? html`${deed} <a href="${page}">${name}</a>`
    : html`${deed} <span class="title">${name}</span>`;
}

function projectLink({ projectName, projectFullPath }: Event): Html {
  return html`<a href="/${projectFullPath}/activity">${projectName}</a>`;
}

function iconOf({ action, targetType }: Event): IconName {
  if (action === "pushed") return "commit";
  if (action === "commented") return "comment";
  if (action === "approved") return "check";
  if (action === "joined") return "join";
  if (action === "left" || action === "expired") return "out";
  if (targetType === "MergeRequest") return "merge";
  if (targetType === "Incident") return "siren";
  if (targetType === "Milestone") return "flag";
  if (targetType === "WikiPage::Meta") return "book";
  return targetType === null || targetType === "Project" ? "home" : "issue";
}

const MAX_QUOTED = 280;

function shortened(body: string): string {
  const characters = [...body.trim()];
  return characters.length > MAX_QUOTED ? `${characters.slice(0, MAX_QUOTED).join("")}…` : body.trim();
}
