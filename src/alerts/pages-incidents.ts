/** The list of incidents, and the page of one with its alerts, its timeline and notes. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import { queryPage } from "../platform/page-query.ts";
import { rowsOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { seenPages } from "../projects/open-project-page.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { isAtLeast } from "../projects/role.ts";
import { addNote } from "./add-note.ts";
import { changeIncident } from "./change-incident.ts";
import { faultWords, queryMember, sendProjectPage, type Visit, visit } from "./pages-frame.ts";
import { editIn, type RefusedEdit } from "./pages-incident-edit.ts";
import {
  INCIDENTS_A_PAGE,
  incidentList,
  incidentView,
  MAX_LETTERS,
  MAX_NOTES,
} from "./pages-incidents-view.ts";
import type { RefusedImage } from "./pages-metric-images-view.ts";
import { findNow } from "./store.ts";
import {
  countAlertsOfIncident,
  countIncidents,
  findIncident,
  listAlertsOfIncident,
  listIncidents,
  listNotes,
} from "./store-incidents.ts";
import { listMetricImages } from "./store-metric-images.ts";

export function incidentPages(pages: ProjectPages, platform: Platform): void {
  pages.get("/-/incidents", async (request, reply, place) =>
    showList(await visit(platform, request, reply, place, "reporter")),
  );
  pages.get("/-/incidents/:iid", async (request, reply, place) =>
    showIncident(await visit(platform, request, reply, place, "reporter"), place),
  );
  pages.post("/-/incidents/:iid", (request, reply, place) => changeOne(platform, request, reply, place));
  pages.get("/-/issues/incident/:iid", async (request, reply, place) => {
    const { home } = await visit(platform, request, reply, place, "reporter");
    return reply.redirect(`${home}/-/incidents/${idIn(place.params.iid)}`, 301);
  });
}

const STATES = { open: "opened", closed: "closed", all: undefined } as const;

async function showList(visited: Visit): Promise<FastifyReply> {
  const { platform, request, project, home, browser } = visited;
  const asked = queryMember(request, "tab");
  const tab = asked === "closed" || asked === "all" ? asked : "open";
  const search = queryMember(request, "search");
  const page = queryPage(request);
  const way = search === undefined ? platform.db : platform.db.pooled;
  const [counts, incidents, now] = await Promise.all([
    countIncidents(way, project.id, { search }),
    listIncidents(
      way,
      project.id,
      { state: STATES[tab], search },
      rowsOf({ page, perPage: INCIDENTS_A_PAGE }),
    ),
    findNow(platform.db),
  ]);
  return sendProjectPage(visited, {
    title: "Incidents",
    current: "incidents",
    crumbs: [{ label: "Incidents" }],
    main: incidentList({
      home,
      tab,
      search,
      page,
      counts,
      incidents,
      now,
      mayOpen: browser.csrfToken !== undefined,
    }),
  });
}

/** Sends the page of an incident, with the errors of a refused form. */
export async function showIncident(
  visited: Visit,
  place: PagePlace,
  {
    note: noteError,
    image: refusedImage,
    edit: refusedEdit,
  }: { note?: string; image?: RefusedImage; edit?: RefusedEdit } = {},
): Promise<FastifyReply> {
  const failed = [noteError, refusedImage, refusedEdit].some((refused) => refused !== undefined);
  const { platform, request, project, home, browser } = visited;
  const incident = await incidentAt(visited, place);
  const [alerts, counts, images, notes, now] = await Promise.all([
    listAlertsOfIncident(platform.db.pooled, incident.id),
    countAlertsOfIncident(platform.db.pooled, incident.id),
    listMetricImages(platform.db, { ...incident, kind: "incident" }),
    listNotes(platform.db, incident.id, { limit: MAX_NOTES + 1, offset: 0, letters: MAX_LETTERS + 1 }),
    findNow(platform.db),
  ]);
  return sendProjectPage(visited, {
    title: `${incident.title} · Incident #${incident.iid}`,
    current: "incidents",
    crumbs: [{ label: "Incidents", href: `${home}/-/incidents` }, { label: `#${incident.iid}` }],
    main: incidentView({
      home,
      incident,
      alerts,
      counts,
      images,
      refusedImage,
      notes: notes.slice(0, MAX_NOTES).toReversed(),
      areNotesCut: notes.length > MAX_NOTES,
      now,
      csrfToken: browser.csrfToken,
      mayChange: isAtLeast(project.access, "developer"),
      seesAlerts: seenPages(project).seesOperations,
      note: noteError === undefined ? undefined : formText(request, "note"),
      noteError,
      refusedEdit,
    }),
    failed,
    status: failed ? 422 : 200,
  });
}

async function incidentAt({ platform, project }: Visit, place: PagePlace) {
  const incident = await findIncident(platform.db, project.id, idIn(place.params.iid));
  if (!incident) throw new Problem("not_found", "404 Incident Not Found");
  return incident;
}

async function changeOne(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PagePlace,
): Promise<FastifyReply> {
  const action = formText(request, "action");
  const visited = await visit(platform, request, reply, place, action === "note" ? "reporter" : "developer");
  const { viewer, project, home } = visited;
  const incident = await incidentAt(visited, place);
  const back = `${home}/-/incidents/${incident.iid}`;
  if (action === "note") {
    try {
      await addNote(platform, viewer.userId, incident, formText(request, "note"));
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return showIncident(visited, place, { note: faultWords("Note", error.fields.note) ?? error.message });
    }
    return redirectWith(platform, request, reply, `${back}#timeline`, { kind: "ok", text: "" });
  }
  if (action === "edit") {
    const { typed, shown, edit } = editIn(request);
    try {
      await changeIncident(platform, viewer.userId, project, incident.iid, edit);
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return showIncident(visited, place, { edit: { ...typed, shown, faults: error.fields } });
    }
    return redirectWith(platform, request, reply, back, { kind: "ok", text: "The incident is saved." });
  }
  if (action !== "close" && action !== "reopen")
    throw new Problem("invalid", "The form has no valid action.");
  const changed = await changeIncident(platform, viewer.userId, project, incident.iid, {
    stateEvent: action,
  });
  const text = `Incident #${changed.iid} is ${changed.state === "closed" ? "closed" : "open again"}.`;
  return redirectWith(platform, request, reply, back, { kind: "ok", text });
}
