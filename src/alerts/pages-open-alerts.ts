/** `/-/alerts`: the open alerts of all projects of the viewer, with filters and a search (decisions 0279, 0290). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { frameOf, needsViewer } from "../accounts/browser.ts";
import { queryPage } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { linkButton } from "../ui/button.ts";
import { bareCard, card, emptyState, pageHead, stack, tabs } from "../ui/card.ts";
import { wholeNumber } from "../ui/count.ts";
import { tile } from "../ui/face.ts";
import { bareSelect } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { named } from "../ui/named.ts";
import { homeNav } from "../ui/navigation.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { type Column, pager, table } from "../ui/table.ts";
import { timeTag } from "../ui/time.ts";
import { filterBar } from "../ui/toolbar.ts";
import { STATUS_WORDS } from "./alert.ts";
import { startWords } from "./pages-alerts-list.ts";
import { alertTable, OPEN_ALERTS } from "./pages-dashboard.ts";
import { queryMember, queryString } from "./pages-frame.ts";
import { SEVERITIES, SEVERITY_OPTIONS } from "./severity.ts";
import {
  countUrgentAlerts,
  listUrgentAlerts,
  listUrgentProjects,
  SEARCHED_OPEN,
  URGENT_STATUSES,
  type UrgentAlert,
  type UrgentCounts,
  type UrgentFilter,
  type UrgentProject,
} from "./store-dashboard.ts";

const ALERTS_A_PAGE = 20;
/** The last page that can be opened: to show a page, the alerts of all pages before it are read. */
const MAX_PAGES = 50;
/** The projects of which the numbers are shown. */
const MAX_PROJECTS = 12;
const MAX_LISTED = ALERTS_A_PAGE * MAX_PAGES;

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
  const db = filter.words ? platform.db.searching : platform.db.pooled;
  const [counts, alerts] = await Promise.all([
    countUrgentAlerts(db, userId, filter),
    page > MAX_PAGES ? [] : listUrgentAlerts(db, userId, filter, { limit: ALERTS_A_PAGE, offset }),
  ]);
  const isLong = totalOf(filter, counts) > ALERTS_A_PAGE && !filter.assigned && !filter.words;
  const projects = isLong ? await listUrgentProjects(db, userId, filter, MAX_PROJECTS) : [];
  const frame = frameOf(browser);
  const shown = appPage({
    ...frame,
    title: "Alerts of all projects",
    crumbs: [{ label: "Alerts" }],
    nav: homeNav("alerts", frame.viewer),
    main: html`${pageHead({ heading: "Alerts of all projects", lead: "Open alerts of the projects in which you are at least Developer, most critical first." })}${stack(
      [
        listCard({ filter, page, counts, alerts, now: new Date() }),
        projects.length > 1 && projectsCard(projects, filter),
      ],
    )}`,
  });
  return sendPage(reply, shown);
}

/** Parses the query leniently: unknown values count as absent. */
function filterOf(request: FastifyRequest): UrgentFilter {
  return {
    status: URGENT_STATUSES.find((status) => status === queryMember(request, "status")),
    severity: SEVERITIES.find((severity) => severity === queryMember(request, "severity")),
    assigned: queryMember(request, "assigned") === "me",
    words: queryMember(request, "search")?.trim() || undefined,
  };
}

/** Returns the address of a page of the list. */
function addressOf({ status, severity, assigned, words }: UrgentFilter, page = 1): string {
  const members = {
    ...{ status, severity, assigned: assigned ? "me" : undefined, search: words },
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
  // A search that reads a part of the alerts reads another one for a status than for the tabs.
  const total = (filter.words && alerts[0]?.total) || totalOf(filter, counts);
  const first = (page - 1) * ALERTS_A_PAGE;
  const range = `${wholeNumber(first + 1)}–${wholeNumber(first + alerts.length)} of ${wholeNumber(total)} ${filter.status ?? "open"}.`;
  const rest = `Only the first ${wholeNumber(MAX_LISTED)} are listed: search, filter, or open the list of a project.`;
  return bareCard(
    "Alert list",
    html`${top}${alertTable("Open alerts", alerts, now, { more: [startedColumn(now)] })}`,
    html`<span>${range}${total > MAX_LISTED && ` ${rest}`}${isPartial(list) && ` ${PARTIAL}`}</span>${pager({
      page,
      totalPages: Math.min(MAX_PAGES, Math.ceil(total / ALERTS_A_PAGE)),
      hrefFor: (number) => addressOf(filter, number),
    })}`,
  );
}

function totalOf({ status }: UrgentFilter, counts: UrgentCounts): number {
  return status ? counts[status] : counts.triggered + counts.acknowledged;
}

/** Alerts of a severity are in this order. */
const startedColumn = (now: Date): Column<UrgentAlert> => ({
  head: "Started",
  kind: "nowrap drop",
  cell: ({ startedAt }) => timeTag(startedAt, startWords(startedAt, now)),
});

/** Whether the search did not read all alerts. */
function isPartial({ filter, counts }: OpenAlerts): boolean {
  return filter.words !== undefined && counts.searchable > SEARCHED_OPEN;
}

const PARTIAL = `Only ${wholeNumber(SEARCHED_OPEN)} of the open alerts were searched, the newest of each project: filter by severity, or search in a project.`;

const worst: Column<UrgentProject>[] = [
  { head: "Critical", kind: "num", cell: ({ critical }) => critical },
  { head: "High", kind: "num", cell: ({ high }) => high },
];

/** Which projects the alerts are in, for a list of more than a page. */
function projectsCard(projects: readonly UrgentProject[], { status, severity }: UrgentFilter): Html {
  const rest = (projects[0]?.projects ?? 0) - projects.length;
  return card({
    id: "projects",
    heading: "By project",
    lead: "Each leads to its list, where alerts can be changed together.",
    flush: table<UrgentProject>({
      caption: `${status ? STATUS_WORDS[status] : "Open"} alerts by project`,
      look: "cards",
      rows: projects,
      columns: [
        {
          head: "Project",
          rowHeader: true,
          cell: ({ name, fullPath }) =>
            named(
              tile(name, 2),
              html`<a class="title wrap-any" href="${`/${fullPath}/-/alerts${queryString({ severity })}`}">${name}</a>`,
              fullPath,
            ),
        },
        ...(severity ? [] : worst),
        { head: status ? STATUS_WORDS[status] : "Open", kind: "num", cell: ({ open }) => open },
      ],
    }),
    footer: rest > 0 ? html`${wholeNumber(rest)} more in <a href="/projects">Projects</a>.` : undefined,
  });
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

function filters({ status, severity, assigned, words }: UrgentFilter): Html {
  const placeholder = "Title, service, host or fingerprint";
  return filterBar({
    label: "Filter alerts",
    action: OPEN_ALERTS,
    search: { name: "search", value: words, placeholder, label: "Search alerts" },
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

function noAlerts(list: OpenAlerts): Html {
  const { filter, page } = list;
  if (page > 1) return pastTheEnd("alerts", addressOf(filter), 2);
  if (filter.status || filter.severity || filter.assigned || filter.words) {
    return emptyState({
      heading: "No alert matches",
      text: isPartial(list) ? PARTIAL : "No open alert matches all of the filters.",
      action: linkButton("Show all", OPEN_ALERTS),
      level: 2,
    });
  }
  return emptyState({ heading: "All is calm", text: "No alert is open.", level: 2 });
}
