/** The list of alerts: figures, histogram, tabs, filters, occurrence counters and actions on several alerts. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import type { Db } from "../platform/db.ts";
import { entryOf } from "../platform/entry-of.ts";
import { formList, formText } from "../platform/form-text.ts";
import { idIn, numberIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { isAtLeast } from "../projects/role.ts";
import { linkButton } from "../ui/button.ts";
import { figures, pageHead, stack } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { message } from "../ui/message.ts";
import { clockWords, durationWords, timeTag } from "../ui/time.ts";
import type { AlertStatus } from "./alert.ts";
import { changeAlert } from "./change-alert.ts";
import { findPeopleToAssign } from "./find-people-to-assign.ts";
import type { Integration } from "./integration.ts";
import { hourCard } from "./pages-alert-hours.ts";
import { alertTable, NOBODY } from "./pages-alerts-list.ts";
import {
  ALERTS_A_PAGE,
  type AlertListQuery,
  alertListQuery,
  filterOfQuery,
  isFiltered,
  listHref,
  orderOfQuery,
} from "./pages-alerts-query.ts";
import { sendProjectPage, type Visit, visit } from "./pages-frame.ts";
import { findOffered } from "./pages-integration-filter.ts";
import { findNow, listEnvironmentNames } from "./store.ts";
import { findLastNumbers } from "./store-export.ts";
import { countAlerts, countByStatus, listAlerts, queriesFor } from "./store-lists.ts";
import { countOccurrencesByHour, countOccurrencesBySeverity, findFigures } from "./store-occurrences.ts";
import { findStormBegin } from "./store-storms.ts";
import { listViews } from "./store-views.ts";

export function alertListPages(pages: ProjectPages, platform: Platform): void {
  pages.get("/-/alerts", async (request, reply, place) =>
    showList(await visit(platform, request, reply, place, "developer")),
  );
  pages.post("/-/alerts", (request, reply, place) => changeMany(platform, request, reply, place));
  pages.get("/-/alert_management", async (request, reply, place) => {
    const { home } = await visit(platform, request, reply, place, "developer");
    return reply.redirect(`${home}/-/alerts`, 301);
  });
}

async function showList(visited: Visit): Promise<FastifyReply> {
  const { platform, request, project, home, browser } = visited;
  const { db } = platform;
  const query = alertListQuery(request);
  const [list, { numbers, hours, storm, now, lastIid }, choices] = await Promise.all([
    readAlerts(db, project.id, query),
    readFigures(db, project.id),
    readChoices(db, project.id, { viewerId: visited.viewer.userId, integration: query.integration }),
  ]);
  const main = html`${listHead(visited, choices.integrations)}${stack([
    storm &&
      message({
        kind: "warn",
        text: html`Storm since ${timeTag(storm, `${clockWords(storm)} UTC`)}: messages are collapsed. Every alert is kept.`,
      }),
    lastIid > 0 && listFigures(numbers),
    lastIid > 0 && hourCard(hours, now),
    alertTable({
      ...list,
      ...choices,
      home,
      query,
      now,
      csrfToken: browser.csrfToken,
      isFiltered: isFiltered(query),
      viewerId: visited.viewer.userId,
      lastIid,
      isMaintainer: isAtLeast(project.access, "maintainer"),
      publicUrl: platform.config.publicUrl,
    }),
  ])}`;
  return sendProjectPage(visited, {
    title: "Alerts",
    current: "alerts",
    crumbs: [{ label: "Alerts" }],
    main,
  });
}

/** The alerts on a page of the list, and how many there are. */
async function readAlerts(db: Db, projectId: number, query: AlertListQuery) {
  const filter = filterOfQuery(query);
  const page = { limit: ALERTS_A_PAGE, offset: (query.page - 1) * ALERTS_A_PAGE, isBare: true };
  const queries = queriesFor(db, filter, page.offset);
  const [counts, total, alerts] = await Promise.all([
    countByStatus(queries, projectId, { ...filter, statuses: undefined }),
    countAlerts(queries, projectId, filter),
    listAlerts(queries, projectId, filter, orderOfQuery(query), page),
  ]);
  const spread = await countOccurrencesByHour(
    db.pooled,
    alerts.map(({ id }) => id),
  );
  return { counts, total, alerts, spread };
}

/** What stands above the list. */
async function readFigures(db: Db, projectId: number) {
  const [numbers, hours, storm, now, [newest]] = await Promise.all([
    // These read all occurrences of a day, hence `pooled`.
    findFigures(db.pooled, projectId),
    countOccurrencesBySeverity(db.pooled, projectId),
    findStormBegin(db, projectId),
    findNow(db),
    findLastNumbers(db, [projectId]),
  ]);
  return { numbers, hours, storm, now, lastIid: newest?.last ?? 0 };
}

/** What the filters and actions of the list offer. */
async function readChoices(
  db: Db,
  projectId: number,
  { viewerId, integration }: { viewerId: number; integration: string | undefined },
) {
  const [environments, offered, people, views] = await Promise.all([
    listEnvironmentNames(db, projectId),
    findOffered(db, projectId, integration),
    findPeopleToAssign(db, projectId),
    listViews(db, projectId, viewerId),
  ]);
  return { environments: environments.map(({ name }) => name), ...offered, ...people, views };
}

/** Returns the heading of the list, with links to the viewer's next steps. */
function listHead({ project, home, browser }: Visit, integrations: readonly Integration[]): Html {
  const tool = integrations.find((one) => one.type === "external_tool" && one.active);
  const takesAlerts = integrations.some((one) => one.active && one.type !== "external_tool");
  return pageHead({
    heading: "Alerts",
    actions: [
      tool?.apiUrl != null && linkButton("View alerts in the external tool", tool.apiUrl, { icon: "out" }),
      isAtLeast(project.access, "maintainer") &&
        linkButton("Integrations", `${home}/-/settings/operations`, { icon: "link" }),
      browser.csrfToken !== undefined &&
        takesAlerts &&
        linkButton("Send test alert", `${home}/-/settings/operations#test`, { icon: "send" }),
    ],
  });
}

/** Returns the figures above the list; there is no median before the first alert is resolved. */
function listFigures(numbers: Awaited<ReturnType<typeof findFigures>>): Html {
  const [value = "–", ...unit] =
    numbers.medianSeconds === null ? [] : durationWords(numbers.medianSeconds).split(" ");
  return figures([
    { label: "Open alerts", value: numbers.open },
    { label: "Critical, open", value: numbers.criticalOpen },
    { label: "Occurrences, 24 h", value: numbers.occurrences },
    { label: "Median time to resolve", value, ...(unit.length > 0 && { unit: unit.join(" ") }) },
  ]);
}

/** The actions on selected alerts, with their words in the message afterwards. */
const MANY: Readonly<Record<string, readonly [words: string, status?: AlertStatus]>> = {
  resolve: ["resolved", "resolved"],
  acknowledge: ["acknowledged", "acknowledged"],
  ignore: ["ignored", "ignored"],
  assign: ["assigned"],
};

/** Changes the selected alerts one by one: if one cannot be changed, the others still are. */
async function changeMany(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PagePlace,
): Promise<FastifyReply> {
  const { viewer, project, home } = await visit(platform, request, reply, place, "developer");
  const action = formText(request, "action");
  const wanted = entryOf(MANY, action);
  const assignee = formText(request, "assignee");
  const back = listHref(home, alertListQuery(request));
  if (action === "assign" && assignee !== NOBODY && numberIn(assignee) === undefined) {
    return redirectWith(platform, request, reply, back, {
      kind: "note",
      text: "Nobody was chosen. Choose a person in the list beside Assign, or its first line, Nobody.",
    });
  }
  if (!wanted) {
    const text = "Nothing was changed. Press one of the buttons above the list.";
    return redirectWith(platform, request, reply, back, { kind: "note", text });
  }
  const [words, status] = wanted;
  const change = status
    ? { status, whileOpen: true }
    : { assigneeIds: assignee === NOBODY ? [] : [idIn(assignee)] };
  const iids = formList(request, "iids[]").map(numberIn).slice(0, 100);
  let done = 0;
  let resolved = 0;
  for (const iid of iids) {
    try {
      await changeAlert(platform, viewer.userId, project, iid ?? 0, change);
      done++;
    } catch (error) {
      if (!(error instanceof Problem) || error.kind === "unavailable") throw error;
      if (error.kind === "conflict") resolved++;
    }
  }
  const told = `${done === 1 ? "1 alert was" : `${done} alerts were`} ${words}`;
  const toNobody = action === "assign" && assignee === NOBODY;
  return redirectWith(platform, request, reply, back, {
    kind: done > 0 ? "ok" : "note",
    text:
      iids.length === 0
        ? "No alert was selected. Select alerts in the list, then choose an action."
        : `${told}${toNobody ? " to nobody" : ""}.${leftWords(resolved)}`,
  });
}

/** Says how many selected alerts were left unchanged, and why (decision 0161). */
function leftWords(resolved: number): string {
  if (resolved === 0) return "";
  return ` ${resolved === 1 ? "1 is" : `${resolved} are`} resolved already; open an alert again on its own page.`;
}
