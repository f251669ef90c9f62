/** The page of one alert: its record, its occurrences, its activity, and how to resolve it. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { entryOf } from "../platform/entry-of.ts";
import { formText } from "../platform/form-text.ts";
import { idIn, numberIn } from "../platform/number-in.ts";
import { queryPage } from "../platform/page-query.ts";
import { rowsOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { isAtLeast } from "../projects/role.ts";
import type { Alert } from "./alert.ts";
import { type AlertChange, changeAlert } from "./change-alert.ts";
import { findPeopleToAssign } from "./find-people-to-assign.ts";
import { endpointPath } from "./integration.ts";
import { openIncident } from "./open-incident.ts";
import { type AlertView, OCCURRENCES_A_PAGE } from "./pages-alert-parts.ts";
import { alertView } from "./pages-alert-view.ts";
import { faultWords, queryMember, sendProjectPage, type Visit, visit } from "./pages-frame.ts";
import type { RefusedImage } from "./pages-metric-images-view.ts";
import { payloadChanges } from "./payload-changes.ts";
import { readReceipt } from "./read-receipt.ts";
import { resolvingCommand } from "./resolving-command.ts";
import { findAlert, findNow, findRelatives } from "./store.ts";
import { findIntegration } from "./store-integrations.ts";
import { listMetricImages } from "./store-metric-images.ts";
import {
  type Activity,
  countOccurrences,
  countOccurrencesInSpans,
  listActivity,
  listOccurrences,
  MAX_LINES,
  type Occurrence,
} from "./store-occurrences.ts";
import { findReceipt } from "./store-receipts.ts";

/** Bars in the chart of occurrences. */
const SPANS = 24;

export function alertPages(pages: ProjectPages, platform: Platform): void {
  pages.get("/-/alerts/:iid", async (request, reply, place) =>
    showAlert(await visit(platform, request, reply, place, "developer"), place),
  );
  pages.post("/-/alerts/:iid", (request, reply, place) => changeOne(platform, request, reply, place));
  pages.get("/-/alert_management/:iid/details", async (request, reply, place) => {
    const { home } = await visit(platform, request, reply, place, "developer");
    return reply.redirect(`${home}/-/alerts/${idIn(place.params.iid)}`, 301);
  });
}

/** Sends the page of an alert, with the errors of a refused form. */
export async function showAlert(
  visited: Visit,
  place: PagePlace,
  { comment: commentError, image: refusedImage }: { comment?: string; image?: RefusedImage } = {},
): Promise<FastifyReply> {
  const failed = commentError !== undefined || refusedImage !== undefined;
  const { platform, request, project, home, browser } = visited;
  const { db } = platform;
  const alert = await findAlert(db, project.id, idIn(place.params.iid));
  if (!alert) throw new Problem("not_found", "404 Alert Not Found");
  const page = queryPage(request, "occurrences");
  const [relatives, spans, total, occurrences, images, lines, now, people] = await Promise.all([
    findRelatives(db, alert),
    // An alert may have a million occurrences, hence `pooled`.
    countOccurrencesInSpans(db.pooled, alert.id, SPANS),
    countOccurrences(db.pooled, alert.id),
    listOccurrences(db.pooled, alert.id, rowsOf({ page, perPage: OCCURRENCES_A_PAGE })),
    listMetricImages(db, { ...alert, kind: "alert" }),
    listActivity(db, alert.id),
    findNow(db),
    findPeopleToAssign(db, project.id),
  ]);
  const chosen = numberIn(queryMember(request, "occurrence"));
  const main = alertView({
    home,
    alert,
    nextIid: relatives.nextIid,
    spans,
    spanCount: SPANS,
    occurrences,
    occurrencePage: page,
    occurrenceTotal: total,
    shown: await shownOf(visited, alert.id, { occurrences, page, chosen }),
    images,
    refusedImage,
    ...newestOf(lines),
    csrfToken: browser.csrfToken,
    now,
    comment: commentError === undefined ? undefined : formText(request, "comment"),
    commentError,
    viewerId: visited.viewer.userId,
    ...people,
    command: await commandFor(visited, alert),
    seesReceipts: isAtLeast(project.access, "maintainer"),
  });
  return sendProjectPage(visited, {
    title: `${alert.title} · Alert #${alert.iid}`,
    current: "alerts",
    crumbs: [{ label: "Alerts", href: `${home}/-/alerts` }, { label: `#${alert.iid}` }],
    main,
    failed,
    status: failed ? 422 : 200,
  });
}

/** Leaves out the oldest stored line if there are more than a page shows; the derived ones stay. */
function newestOf(lines: readonly Activity[]): Pick<AlertView, "activity" | "isActivityCut"> {
  const stored = lines.filter(({ id }) => id > 0);
  const isActivityCut = stored.length > MAX_LINES;
  return { activity: isActivityCut ? lines.filter((one) => one !== stored[0]) : lines, isActivityCut };
}

/** Returns the command that resolves the alert, by the rules of its integration. */
async function commandFor({ platform, project }: Visit, alert: Alert): Promise<string | undefined> {
  if (alert.integrationId === null) return undefined;
  const one = await findIntegration(platform.db, project.id, alert.integrationId);
  const path = one && endpointPath(one, project.fullPath);
  return one && path && resolvingCommand(alert, one, `${platform.config.publicUrl}${path}`);
}

/** A page of occurrences, and the id of the one whose payload is shown. */
interface OccurrencePage {
  occurrences: readonly Occurrence[];
  page: number;
  chosen: number | undefined;
}

/** Returns the payload of the chosen occurrence, and how it differs from the one before; undefined: none is on the page. */
async function shownOf(visited: Visit, alertId: number, { occurrences, page, chosen }: OccurrencePage) {
  const index = occurrences.findIndex(({ id }) => id === chosen);
  const shown = await payloadOf(visited, occurrences[index]);
  if (!shown) return undefined;
  const offset = (page - 1) * OCCURRENCES_A_PAGE + index + 1;
  const [before] = await listOccurrences(visited.platform.db.pooled, alertId, { limit: 1, offset });
  const old = await payloadOf(visited, before);
  return { ...shown, changes: old && payloadChanges(old.payload, shown.payload) };
}

/** Reads the payload of one occurrence from its receipt. */
async function payloadOf({ platform, project }: Visit, occurrence: Occurrence | undefined) {
  if (!occurrence) return undefined;
  const receipt = await findReceipt(platform.db.pooled, project.id, occurrence.receiptId);
  const reading = receipt && (await readReceipt(receipt));
  const payload = reading?.reports[occurrence.item]?.payload;
  return payload && { at: occurrence.receivedAt, payload };
}

/** Returns whom the form assigns or unassigns. */
function assignment({ request, viewer }: Visit, action: string): Pick<AlertChange, "giveTo" | "takeFrom"> {
  const takeFrom = numberIn(formText(request, "unassign"));
  if (takeFrom !== undefined) return { takeFrom };
  if (action === "take") return { giveTo: viewer.userId };
  return action === "assign" ? { giveTo: numberIn(formText(request, "assignee")) } : {};
}

const STATUS_OF: Readonly<Record<string, Alert["status"]>> = {
  resolve: "resolved",
  acknowledge: "acknowledged",
  ignore: "ignored",
  reopen: "triggered",
  unacknowledge: "triggered",
  comment_resolve: "resolved",
};

/** Returns the message after a change; empty for a comment alone. */
function toldOf({ iid, status, assignees }: Alert, change: AlertChange): string {
  if (change.status) return `Alert #${iid} is ${status}.`;
  if (change.giveTo === undefined && change.takeFrom === undefined) return "";
  const names = assignees.map(({ name }) => name).join(", ");
  return `Alert #${iid} is assigned to ${names || "nobody"}.`;
}

/** Problems that are shown on the alert's page. */
const EXPECTED: ReadonlySet<string> = new Set(["conflict", "invalid", "unprocessable"]);

async function changeOne(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PagePlace,
): Promise<FastifyReply> {
  const visited = await visit(platform, request, reply, place, "developer");
  const { viewer, project, home } = visited;
  const iid = idIn(place.params.iid);
  const action = formText(request, "action");
  const change: AlertChange = {
    status: entryOf(STATUS_OF, action),
    whileOpen: action !== "reopen",
    comment: action.startsWith("comment") ? formText(request, "comment") : undefined,
    ...assignment(visited, action),
  };
  const back = `${home}/-/alerts/${iid}`;
  try {
    if (action === "incident") {
      const made = await openIncident(platform, viewer.userId, project, iid);
      return await redirectWith(platform, request, reply, `${home}/-/incidents/${made.iid}`, {
        kind: "ok",
        text: `Incident #${made.iid} was opened for alert #${iid}.`,
      });
    }
    const alert = await changeAlert(platform, viewer.userId, project, iid, change);
    const text = toldOf(alert, change);
    // A comment alone needs no message: the page scrolls to it.
    const to = change.comment && text === "" ? `${back}#activity` : back;
    return redirectWith(platform, request, reply, to, { kind: "ok", text });
  } catch (error) {
    if (error instanceof FieldProblem && error.fields.comment) {
      return showAlert(visited, place, {
        comment: faultWords("Comment", error.fields.comment) ?? error.message,
      });
    }
    if (!(error instanceof Problem) || !EXPECTED.has(error.kind)) throw error;
    const fault =
      error instanceof FieldProblem ? "This person may not see the alerts of this project." : error.message;
    return redirectWith(platform, request, reply, back, { kind: "bad", text: fault });
  }
}
