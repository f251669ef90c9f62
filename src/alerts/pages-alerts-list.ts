/** The parts of the alert list: the table with its tabs, filters and pager. */
import { type BadgeTone, badge, severityBadge } from "../ui/badge.ts";
import { type ButtonLook, noAction, submitButton } from "../ui/button.ts";
import { bareCard, tabs } from "../ui/card.ts";
import { spark } from "../ui/chart.ts";
import { wholeNumber } from "../ui/count.ts";
import { face } from "../ui/face.ts";
import { bareSelect, countOption, csrfField, withChosen } from "../ui/form.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import { type Column, pager, table } from "../ui/table.ts";
import { clockWords, dayWords, shortDay, timeAgo, timeTag } from "../ui/time.ts";
import { bulkBar, filterBar, tick, tickAll } from "../ui/toolbar.ts";
import { type Alert, STATUS_WORDS } from "./alert.ts";
import type { PeopleToAssign } from "./find-people-to-assign.ts";
import { type AlertsAsked, noAlerts } from "./pages-alerts-none.ts";
import { ALERTS_A_PAGE, type AlertTab, listHref } from "./pages-alerts-query.ts";
import { integrationFilter, type OfferedIntegrations } from "./pages-integration-filter.ts";
import { viewBar } from "./pages-saved-views.ts";
import { SEVERITY_OPTIONS } from "./severity.ts";
import type { View } from "./store-views.ts";

export interface AlertList extends AlertsAsked, OfferedIntegrations, PeopleToAssign {
  total: number;
  alerts: readonly Alert[];
  /** Firings in the last 12 hours, by alert and hour. */
  spread: readonly { alertId: number; bucket: number; n: number }[];
  now: Date;
  environments: readonly string[];
  viewerId: number;
  views: readonly View[];
  /** The iid of the newest alert when the page was rendered. */
  lastIid: number;
}

/** Returns the list; every control is a link or a form and works without a script. */
export function alertTable(list: AlertList): Html {
  const { home, query, counts, total, alerts, csrfToken } = list;
  // Before the first alert there is nothing to filter, so only the next step is shown.
  if (list.lastIid === 0)
    return bareCard("Alert list", html`${arrivals(list)}${noAlerts(list)}`, ARRIVALS_SWITCH);
  const tab = (label: string, name: AlertTab, count: number) => ({
    label,
    href: listHref(home, query, { tab: name, page: 1 }),
    count,
    current: query.tab === name,
  });
  const isSpecial = list.isFiltered || query.sort !== undefined || query.tab !== "open";
  const top = html`${tabs("Alert status", [tab("Open", "open", counts.open), tab("Ignored", "ignored", counts.ignored), tab("Resolved", "resolved", counts.resolved), tab("All", "all", counts.all)], true)}${filters(list)}${viewBar({ ...list, isSpecial })}${arrivals(list)}`;
  if (alerts.length === 0) return bareCard("Alert list", html`${top}${noAlerts(list)}`, ARRIVALS_SWITCH);
  const rows = table({
    caption: `${TAB_WORDS[query.tab]} alerts`,
    look: "cards alerts",
    columns: columnsOf(list),
    rows: alerts,
  });
  const first = (query.page - 1) * ALERTS_A_PAGE;
  const range = `${wholeNumber(first + 1)}–${wholeNumber(first + alerts.length)} of ${wholeNumber(total)}${query.tab === "all" ? "" : ` ${query.tab}`}. Times are in UTC unless they name another zone.`;
  return bareCard(
    "Alert list",
    csrfToken === undefined
      ? html`${top}${rows}`
      : html`${top}<form method="post" action="${listHref(home, query)}">${csrfField(csrfToken)}${noAction("action")}${bulk(list)}${rows}</form>`,
    html`<span>${range} ${exports(list)}</span>${ARRIVALS_SWITCH}${pager({
      page: query.page,
      totalPages: Math.ceil(total / ALERTS_A_PAGE),
      hrefFor: (page) => listHref(home, query, { page }),
    })}`,
  );
}

/** The choice that removes all assignees; no person has this number. */
export const NOBODY = "0";

/** Returns the actions on the selected alerts. */
function bulk({ query, people, peopleTotal, viewerId }: AlertList): Html {
  const act = (action: string, words: string, look: ButtonLook = {}) =>
    submitButton(words, { size: "sm", name: "action", value: action, ...look });
  const mine = people.filter((one) => one.id === viewerId);
  const others = people.filter((one) => one.id !== viewerId);
  const choice = bareSelect("assignee", "Assign to", "", [
    { value: "", label: "Assign to …" },
    { value: NOBODY, label: "Nobody" },
    ...mine.map((one) => ({ value: String(one.id), label: `${one.name} (me)` })),
    ...others.map((one) => ({ value: String(one.id), label: one.name })),
    ...countOption(people.length, peopleTotal),
  ]);
  return bulkBar("Selected alerts", "With the selected alerts", [
    ...(query.tab === "resolved"
      ? []
      : [act("acknowledge", "Acknowledge"), act("resolve", "Resolve", { key: "e" })]),
    ...(query.tab === "resolved" || query.tab === "ignored" ? [] : [act("ignore", "Ignore")]),
    html`<span class="row assign">${choice}${act("assign", "Assign")}</span>`,
  ]);
}

/** Returns the links that export the whole list. */
function exports({ home, query }: AlertList): Html {
  const [, search = ""] = listHref(home, query, { page: 1 }).split("?");
  const file = (format: string) =>
    html`<a href="${`${home}/-/alerts/export.${format}${search === "" ? "" : `?${search}`}`}">${format.toUpperCase()}</a>`;
  return html`Export all as ${file("csv")} or ${file("json")}.`;
}

/** Where the script shows that more alerts arrived, over the page so that no row moves under the pointer. */
function arrivals({ home, query, lastIid }: AlertList): Html {
  const [, search = ""] = listHref(home, query, { page: 1 }).split("?");
  const stream = `${home}/-/alerts/stream?since=${lastIid}${search === "" ? "" : `&${search}`}`;
  const own = {
    "data-arrivals": stream,
    "data-show": listHref(home, query, { page: 1 }),
    "data-first": lastIid === 0,
  };
  return html`<p class="arrivals" role="status"${attrs(own)}></p>`;
}

/** Pauses it; the script remembers the choice in the browser (WCAG 2.2.2). */
const ARRIVALS_SWITCH = html`<label class="switch-row js"><input class="switch" type="checkbox" role="switch" data-arrivals-switch checked>Announce new alerts</label><noscript>New alerts appear when the page is loaded again.</noscript>`;

function filters(list: AlertList): Html {
  const { home, query, environments, integrations, integrationTotal, isFiltered } = list;
  const any = (label: string) => ({ value: "", label });
  return filterBar({
    label: "Filter alerts",
    action: `${home}/-/alerts`,
    keep: { tab: query.tab === "open" ? undefined : query.tab },
    isFiltered,
    search: {
      name: "search",
      value: query.search,
      placeholder: "Title, service, host or fingerprint",
      label: "Filter by text",
    },
    filters: [
      bareSelect("severity", "Severity", query.severity ?? "", [any("Any severity"), ...SEVERITY_OPTIONS]),
      bareSelect("environment", "Environment", query.environment ?? "", [
        any("Any environment"),
        ...withChosen(
          environments.map((name) => ({ value: name, label: name })),
          query.environment,
          query.environment ?? "",
        ),
      ]),
      integrationFilter({ integrations, integrationTotal }, query.integration),
      bareSelect("silenced", "Silences", query.silenced ?? "", [
        any("Any silence"),
        { value: "yes", label: "Silenced" },
        { value: "no", label: "Not silenced" },
      ]),
      bareSelect("sort", "Sort", query.sort ?? "", sortChoices(query.sort)),
    ],
  });
}

const SORTS: readonly (readonly [value: string, label: string])[] = [
  ["", "Newest first"],
  ["started_at_asc", "Oldest first"],
  ["severity_desc", "Most critical first"],
  ["event_count_desc", "Most often first"],
  ["updated_at_desc", "Changed last first"],
  ["status_desc", "Triggered first"],
];

/** Returns the sort orders to choose from, with the current one if a column's header set another. */
function sortChoices(now: string | undefined) {
  const isKnown = now === undefined || SORTS.some(([value]) => value === now);
  const words = now?.replace(/_(asc|desc)$/, "").replaceAll("_", " ");
  const all = isKnown
    ? SORTS
    : [...SORTS, [now, `By ${words}, ${now.endsWith("asc") ? "up" : "down"}`] as const];
  return all.map(([value, label]) => ({ value, label }));
}

const TAB_WORDS: Readonly<Record<AlertTab, string>> = {
  open: "Open",
  ignored: "Ignored",
  resolved: "Resolved",
  all: "All",
};
function columnsOf({ home, query, spread, now, csrfToken }: AlertList): Column<Alert>[] {
  const sorting = (by: string): NonNullable<Column<Alert>["sort"]> => {
    const sort = query.sort ?? "started_at_desc";
    const isNow = sort.startsWith(`${by}_`);
    const descends = sort.endsWith("_desc");
    return {
      href: listHref(home, query, { sort: `${by}_${isNow && descends ? "asc" : "desc"}`, page: 1 }),
      now: isNow ? (descends ? "descending" : "ascending") : undefined,
    };
  };
  const pick: Column<Alert> = {
    head: "Pick",
    kind: "pick",
    headControl: tickAll("iids[]"),
    cell: ({ iid }) => tick("iids[]", `${iid}`, `Select alert ${iid}`),
  };
  return [
    ...(csrfToken === undefined ? [] : [pick]),
    {
      head: "Severity",
      kind: "sev",
      sort: sorting("severity"),
      cell: (alert) => severityBadge(alert.severity),
    },
    { head: "Alert", kind: "main", rowHeader: true, cell: (alert) => titleCell(home, alert) },
    {
      head: "Occurrences",
      kind: "occ-cell",
      sort: sorting("event_count"),
      cell: (alert) => occurrenceCell(alert, spread),
    },
    {
      head: "Started",
      kind: "nowrap drop",
      sort: sorting("started_at"),
      cell: ({ startedAt }) => timeTag(startedAt, startWords(startedAt, now)),
    },
    { head: "Last seen", kind: "nowrap seen sub", cell: ({ lastSeenAt }) => timeAgo(lastSeenAt, now) },
    {
      head: "Assignee",
      kind: "drop",
      cell: ({ assignees }) =>
        html`${assignees.slice(0, FACES).map((one) => html`<span class="who" title="${one.name}">${face(one.name)}<span class="sr">${one.name}</span></span>`)}${moreAssignees(assignees.slice(FACES))}`,
    },
  ];
}

/** The most assignees of a row that are shown by their faces. */
const FACES = 2;

/** The number of the other assignees, with their names for the pointer and for screen readers. */
function moreAssignees(others: readonly { name: string }[]): Html | false {
  const names = others.map(({ name }) => name).join(", ");
  return (
    others.length > 0 &&
    html`<span class="sub" title="${names}">+${others.length}<span class="sr">: ${names}</span></span>`
  );
}

/** Returns the time for today, otherwise the day: `07:18 UTC`, `17 Nov`, `17 Nov 2025`. */
export function startWords(at: Date, now: Date): string {
  const day = at.toISOString().slice(0, 10);
  if (day === now.toISOString().slice(0, 10)) return `${clockWords(at)} UTC`;
  return at.getUTCFullYear() === now.getUTCFullYear() ? shortDay(day) : dayWords(at);
}

/** Returns the badge tone of a status; colours are reserved for severities. */
export function statusTone(status: Alert["status"]): BadgeTone {
  return status === "resolved" ? "ok" : "plain";
}

function titleCell(home: string, alert: Alert): Html {
  const marks = [
    alert.service,
    alert.environmentName,
    alert.test ? "test" : undefined,
    alert.silenceId === null ? undefined : badge("Silenced", "line"),
    alert.incidentIid === null
      ? undefined
      : html`<a href="${`${home}/-/incidents/${alert.incidentIid}`}">Incident #${alert.incidentIid}</a>`,
    alert.status === "triggered" ? undefined : badge(STATUS_WORDS[alert.status], statusTone(alert.status)),
  ].filter((mark) => mark !== undefined && mark !== null);
  return html`<a class="title wrap-any" href="${`${home}/-/alerts/${alert.iid}`}">${alert.title}</a><span class="meta"><span>#${alert.iid}</span>${marks.map((mark) => html`<span>${mark}</span>`)}</span>`;
}

function occurrenceCell(alert: Alert, spread: AlertList["spread"]): Html {
  const hours = new Array<number>(12).fill(0);
  for (const { alertId, bucket, n } of spread) {
    if (alertId === alert.id && bucket >= 0 && bucket < 12) hours[bucket] = n;
  }
  const recent = hours.reduce((sum, n) => sum + n, 0);
  const label = recent === 0 ? "None in the last 12 hours" : `${recent} in the last 12 hours`;
  return html`<span class="occ">${spark(hours, label)}<span class="count${alert.events === 1 ? " one" : ""}">${wholeNumber(alert.events)}</span></span>`;
}
