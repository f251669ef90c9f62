/** The parts of the alert list: the histogram of a day, and the table with its tabs, filters and pager. */
import { type BadgeTone, badge, severityBadge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { bareCard, card, emptyState, tabs } from "../ui/card.ts";
import { barChart, chartKeys, type Series, spark } from "../ui/chart.ts";
import { face } from "../ui/face.ts";
import { bareSelect, csrfField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { type Column, pager, table } from "../ui/table.ts";
import { clockWords, dayWords, shortDay, timeAgo, timeTag } from "../ui/time.ts";
import { bulkBar, filterBar, tick, tickAll } from "../ui/toolbar.ts";
import { type Alert, STATUS_WORDS } from "./alert.ts";
import type { Integration } from "./integration.ts";
import { ALERTS_A_PAGE, type AlertListQuery, type AlertTab, listHref } from "./pages-alerts-query.ts";
import { SEVERITIES } from "./severity.ts";

const HOURS: Series[] = [
  { label: "Critical", tone: "crit" },
  { label: "High", tone: "high" },
  { label: "Medium", tone: "med" },
  { label: "Low and below", tone: "low" },
];
const HOUR = 3_600_000;

/** Firings of the last 24 hours by hour and severity. */
export function hourCard(
  counts: readonly { bucket: number; severity: string; n: number }[],
  now: Date,
): Html {
  const bars = Array.from({ length: 24 }, (_, index) => ({
    label: `${clockWords(hourOf(index, now))} UTC`,
    values: [0, 0, 0, 0],
  }));
  for (const { bucket, severity, n } of counts) {
    const values = bars[Math.min(23, Math.max(0, bucket))]?.values;
    const series = Math.min(3, SEVERITIES.indexOf(severity as (typeof SEVERITIES)[number]));
    if (values) values[series] = (values[series] ?? 0) + n;
  }
  const totals = bars.map((bar) => bar.values.reduce((sum, value) => sum + value, 0));
  const total = totals.reduce((sum, value) => sum + value, 0);
  const busiest = bars[totals.indexOf(Math.max(...totals))]?.label;
  const words = `${total} ${total === 1 ? "occurrence" : "occurrences"} in the last 24 hours.`;
  return card({
    id: "hours",
    heading: "Occurrences by hour",
    aside: chartKeys(HOURS),
    body: barChart({
      label: total === 0 ? words : `${words} The busiest hour began at ${busiest}.`,
      per: "Hour",
      series: HOURS,
      bars,
      axis: [0, 6, 12, 18, 23].map((index) => clockWords(hourOf(index, now))),
    }),
  });
}

function hourOf(index: number, now: Date): Date {
  const hour = Math.floor(now.getTime() / HOUR) * HOUR;
  return new Date(hour - (23 - index) * HOUR);
}

export interface AlertList {
  home: string;
  query: AlertListQuery;
  counts: { open: number; ignored: number; resolved: number; all: number };
  total: number;
  alerts: readonly Alert[];
  /** Firings in the last 12 hours, by alert and hour. */
  spread: readonly { alertId: number; bucket: number; n: number }[];
  now: Date;
  environments: readonly string[];
  integrations: readonly Integration[];
  csrfToken: string;
  isFiltered: boolean;
  isMaintainer: boolean;
}

/** The list itself; without script every part of it is a link or a form. */
export function alertTable(list: AlertList): Html {
  const { home, query, counts, total, alerts, csrfToken } = list;
  const tab = (label: string, name: AlertTab, count: number) => ({
    label,
    href: listHref(home, query, { tab: name, page: 1 }),
    count,
    current: query.tab === name,
  });
  const top = html`${tabs("Alert status", [tab("Open", "open", counts.open), tab("Ignored", "ignored", counts.ignored), tab("Resolved", "resolved", counts.resolved), tab("All", "all", counts.all)], true)}${filters(list)}`;
  if (alerts.length === 0) return bareCard("Alert list", html`${top}${nothing(list)}`);
  const rows = table({
    caption: `${TAB_WORDS[query.tab]} alerts`,
    look: "cards alerts",
    columns: columnsOf(list),
    rows: alerts,
  });
  const bulk = bulkBar("Selected alerts", "With the ticked alerts", [
    submitButton("Resolve", { size: "sm", name: "action", value: "resolve" }),
    submitButton("Acknowledge", { size: "sm", name: "action", value: "acknowledge" }),
  ]);
  const first = (query.page - 1) * ALERTS_A_PAGE;
  const range = `${first + 1}–${first + alerts.length} of ${total}${query.tab === "all" ? "" : ` ${query.tab}`}. Times are in UTC.`;
  return bareCard(
    "Alert list",
    html`${top}<form method="post" action="${listHref(home, query)}">${csrfField(csrfToken)}${query.tab !== "resolved" && bulk}${rows}</form>`,
    html`<span>${range}</span>${pager({
      page: query.page,
      totalPages: Math.ceil(total / ALERTS_A_PAGE),
      hrefFor: (page) => listHref(home, query, { page }),
    })}`,
  );
}

function filters({ home, query, environments, integrations }: AlertList): Html {
  const any = (label: string) => ({ value: "", label });
  return filterBar({
    label: "Filter alerts",
    action: `${home}/-/alerts`,
    keep: { tab: query.tab === "open" ? undefined : query.tab, sort: query.sort },
    search: {
      name: "search",
      value: query.search,
      placeholder: "Title, service, host or fingerprint",
      label: "Filter by text",
    },
    filters: [
      bareSelect("severity", "Severity", query.severity ?? "", [
        any("Any severity"),
        ...SEVERITIES.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) })),
      ]),
      bareSelect("environment", "Environment", query.environment ?? "", [
        any("Any environment"),
        ...environments.map((name) => ({ value: name, label: name })),
      ]),
      bareSelect("integration", "Integration", query.integration ?? "", [
        any("Any integration"),
        ...integrations.map((one) => ({ value: String(one.id), label: one.name })),
      ]),
    ],
  });
}

function nothing({ home, query, counts, isFiltered, integrations, isMaintainer }: AlertList): Html {
  if (isFiltered) {
    return emptyState({
      heading: "No alert fits",
      text: "Nothing here has all of what the filter asks for.",
      action: linkButton("Show all of them", listHref(home, { ...query, page: 1 }, CLEARED)),
    });
  }
  if (query.page > 1) {
    return emptyState({
      heading: "No more alerts",
      text: "This page is past the end of the list.",
      action: linkButton("Go to the first page", listHref(home, query, { page: 1 })),
    });
  }
  if (counts.all > 0) {
    return emptyState({
      heading: EMPTY_WORDS[query.tab][0],
      text: EMPTY_WORDS[query.tab][1],
    });
  }
  if (integrations.some((one) => one.active)) {
    return emptyState({
      heading: "Waiting for the first alert",
      text: "What your tools send to this project will stand here. A test alert shows that they can.",
      action: linkButton("Send a test alert", `${home}/-/settings/operations#test`),
    });
  }
  return emptyState({
    heading: "Nothing can send alerts yet",
    text: isMaintainer
      ? "Add an integration: it gives you an address and a key for any tool that can send JSON."
      : "A Maintainer of this project can add an integration.",
    action: isMaintainer ? linkButton("Add an integration", `${home}/-/settings/operations#new`) : undefined,
  });
}

const TAB_WORDS: Readonly<Record<AlertTab, string>> = {
  open: "Open",
  ignored: "Ignored",
  resolved: "Resolved",
  all: "All",
};
/** Heading and words of a tab on which nothing stands while others hold alerts. */
const EMPTY_WORDS: Readonly<Record<AlertTab, readonly [string, string]>> = {
  open: ["All is calm", "No alert is open."],
  ignored: ["Nothing is ignored", "Alerts that somebody ignores go on counting here."],
  resolved: ["Nothing was resolved yet", "Resolved alerts will stand here."],
  all: ["No alert", "Alerts will stand here."],
};

const CLEARED = { severity: undefined, environment: undefined, integration: undefined, search: undefined };

function columnsOf({ home, query, spread, now }: AlertList): Column<Alert>[] {
  const sorting = (by: string): NonNullable<Column<Alert>["sort"]> => {
    const sort = query.sort ?? "started_at_desc";
    const isNow = sort.startsWith(`${by}_`);
    const descends = sort.endsWith("_desc");
    return {
      href: listHref(home, query, { sort: `${by}_${isNow && descends ? "asc" : "desc"}`, page: 1 }),
      now: isNow ? (descends ? "descending" : "ascending") : undefined,
    };
  };
  return [
    {
      head: "Pick",
      kind: "pick",
      headControl: tickAll("iids[]"),
      cell: ({ iid }) => tick("iids[]", `${iid}`, `Select alert ${iid}`),
    },
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
        html`${assignees.slice(0, 2).map((one) => html`<span class="who">${face(one.name)}<span class="sr">${one.name}</span></span>`)}`,
    },
  ];
}

/** The clock today, the day before that: `07:18`, `17 Nov`, `17 Nov 2025`. */
function startWords(at: Date, now: Date): string {
  const day = at.toISOString().slice(0, 10);
  if (day === now.toISOString().slice(0, 10)) return clockWords(at);
  return at.getUTCFullYear() === now.getUTCFullYear() ? shortDay(day) : dayWords(at);
}

/** The tone in which a status is shown; the colours of severities belong to severity alone. */
export function statusTone(status: Alert["status"]): BadgeTone {
  return status === "resolved" ? "ok" : "plain";
}

function titleCell(home: string, alert: Alert): Html {
  const marks = [
    alert.service,
    alert.environmentName,
    alert.test ? "test" : undefined,
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
  return html`<span class="occ">${spark(hours, label)}<span class="count${alert.events === 1 ? " one" : ""}">${alert.events}</span></span>`;
}
