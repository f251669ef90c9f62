/** `/-/alerts`: the open alerts of all projects of the viewer, with filters (decision 0279). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { frameOf, needsViewer } from "../accounts/browser.ts";
import { queryPage } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { linkButton } from "../ui/button.ts";
import { bareCard, emptyState, pageHead, tabs } from "../ui/card.ts";
import { wholeNumber } from "../ui/count.ts";
import { bareSelect } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { homeNav } from "../ui/navigation.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager } from "../ui/table.ts";
import { filterBar } from "../ui/toolbar.ts";
import { STATUS_WORDS } from "./alert.ts";
import { alertTable, OPEN_ALERTS } from "./pages-dashboard.ts";
import { queryMember, queryString } from "./pages-frame.ts";
import { SEVERITIES, SEVERITY_OPTIONS } from "./severity.ts";
import {
  countUrgentAlerts,
  listUrgentAlerts,
  URGENT_STATUSES,
  type UrgentAlert,
  type UrgentCounts,
  type UrgentFilter,
} from "./store-dashboard.ts";

const ALERTS_A_PAGE = 20;
/** The last page that can be opened: to show a page, the alerts of all pages before it are read. */
const MOST_PAGES = 50;
const MOST_LISTED = ALERTS_A_PAGE * MOST_PAGES;

export function openAlertPages(app: FastifyInstance, platform: Platform): void {
  app.get("/-/alerts", (request, reply) => showOpenAlerts(platform, request, reply));
}

async function showOpenAlerts(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await needsViewer(platform, request, reply);
  const { userId } = browser.viewer;
  const filter = filterOf(request);
  const page = queryPage(request);
  const offset = (page - 1) * ALERTS_A_PAGE;
  // With thousands of projects these statements are slow.
  const { pooled } = platform.db;
  const [counts, alerts] = await Promise.all([
    countUrgentAlerts(pooled, userId, filter),
    page > MOST_PAGES ? [] : listUrgentAlerts(pooled, userId, filter, { limit: ALERTS_A_PAGE, offset }),
  ]);
  const frame = frameOf(browser);
  const shown = appPage({
    ...frame,
    title: "Alerts of all projects",
    crumbs: [{ label: "Alerts" }],
    nav: homeNav("alerts", frame.viewer),
    main: html`${pageHead({ heading: "Alerts of all projects", lead: "Open alerts of the projects in which you are at least Developer, most critical first." })}${listCard({ filter, page, counts, alerts, now: new Date() })}`,
  });
  return sendPage(reply, shown);
}

/** Parses the query leniently: unknown values count as absent. */
function filterOf(request: FastifyRequest): UrgentFilter {
  return {
    status: URGENT_STATUSES.find((status) => status === queryMember(request, "status")),
    severity: SEVERITIES.find((severity) => severity === queryMember(request, "severity")),
    assigned: queryMember(request, "assigned") === "me",
  };
}

/** Returns the address of a page of the list. */
function addressOf({ status, severity, assigned }: UrgentFilter, page = 1): string {
  const members = {
    status,
    severity,
    assigned: assigned ? "me" : undefined,
    page: page > 1 ? page : undefined,
  };
  return `${OPEN_ALERTS}${queryString(members)}`;
}

interface OpenAlerts {
  filter: UrgentFilter;
  page: number;
  counts: UrgentCounts;
  alerts: readonly UrgentAlert[];
  now: Date;
}

function listCard(list: OpenAlerts): Html {
  const { filter, page, counts, alerts, now } = list;
  if (counts.projects === 0) return bareCard("Alert list", noProject);
  const top = html`${statusTabs(list)}${filters(filter)}`;
  if (alerts.length === 0) return bareCard("Alert list", html`${top}${noAlerts(list)}`);
  const total = filter.status ? counts[filter.status] : counts.triggered + counts.acknowledged;
  const first = (page - 1) * ALERTS_A_PAGE;
  const range = `${wholeNumber(first + 1)}–${wholeNumber(first + alerts.length)} of ${wholeNumber(total)} ${filter.status ?? "open"}.`;
  const rest = `Only the first ${wholeNumber(MOST_LISTED)} are listed; use the filters or the lists of the projects for the others.`;
  return bareCard(
    "Alert list",
    html`${top}${alertTable("Open alerts", alerts, now)}`,
    html`<span>${range}${total > MOST_LISTED && ` ${rest}`}</span>${pager({
      page,
      totalPages: Math.min(MOST_PAGES, Math.ceil(total / ALERTS_A_PAGE)),
      hrefFor: (number) => addressOf(filter, number),
    })}`,
  );
}

function statusTabs({ filter, counts }: OpenAlerts): Html {
  const tab = (label: string, status: UrgentFilter["status"], count: number) => ({
    label,
    href: addressOf({ ...filter, status }),
    count,
    current: filter.status === status,
  });
  return tabs(
    "Alert status",
    [
      tab("Open", undefined, counts.triggered + counts.acknowledged),
      ...URGENT_STATUSES.map((status) => tab(STATUS_WORDS[status], status, counts[status])),
    ],
    true,
  );
}

function filters({ status, severity, assigned }: UrgentFilter): Html {
  return filterBar({
    label: "Filter alerts",
    action: OPEN_ALERTS,
    keep: { status },
    isFiltered: severity !== undefined || assigned,
    filters: [
      bareSelect("severity", "Severity", severity ?? "", [
        { value: "", label: "Any severity" },
        ...SEVERITY_OPTIONS,
      ]),
      bareSelect("assigned", "Assignee", assigned ? "me" : "", [
        { value: "", label: "Any assignee" },
        { value: "me", label: "Assigned to me" },
      ]),
    ],
  });
}

const noProject = emptyState({
  heading: "No projects",
  text: "This page lists the alerts of projects in which you are at least Developer, except archived ones. You have no such project.",
  action: linkButton("Projects", "/projects", { icon: "apps" }),
  level: 2,
});

function noAlerts({ filter, page }: OpenAlerts): Html {
  if (page > 1) return pastTheEnd("alerts", addressOf(filter), 2);
  if (filter.status || filter.severity || filter.assigned) {
    return emptyState({
      heading: "No alert matches",
      text: "No open alert matches all of the filters.",
      action: linkButton("Show all", OPEN_ALERTS),
      level: 2,
    });
  }
  return emptyState({ heading: "All is calm", text: "No alert is open.", level: 2 });
}
