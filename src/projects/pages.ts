/** The start page, the list of projects, and the form for a new one. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { browserOf, checkFormOfViewer, frameOf, needsViewer, redirectWith } from "../accounts/browser.ts";
import { namespaceAt } from "../accounts/set-plan.ts";
import { formText } from "../platform/form-text.ts";
import { queryPage, queryText } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import type { FieldProblem } from "../platform/problem.ts";
import type { DashboardCard } from "../ui/card.ts";
import { appPage } from "../ui/layout.ts";
import { homeNav } from "../ui/navigation.ts";
import { addProject } from "./add-project.ts";
import { askerOf } from "./asker.ts";
import type { RecordHappenings } from "./happenings.ts";
import { listQueries } from "./list-queries.ts";
import { checkDescription, placeFaults, typedAbout, typedVisibility } from "./pages-about.ts";
import { findPlaces, restMessages } from "./pages-place-field.ts";
import { dashboardMain, newProjectMain, projectsMain, type TypedProject } from "./pages-views.ts";
import { countProjects, listProjects } from "./store.ts";

const PER_PAGE = 20;

/**
 * `/`, `/projects`, `/projects/new` (reference ux §7). The start page shows `urgent` above the viewer's projects and
 * `recent` below them.
 */
export function homePages(
  app: FastifyInstance,
  platform: Platform,
  record: RecordHappenings,
  { urgent, recent }: { urgent: readonly DashboardCard[]; recent: DashboardCard },
): void {
  const { db } = platform;
  app.get("/", async (request, reply) => {
    const browser = await needsViewer(platform, request, reply);
    const asker = askerOf(browser.viewer);
    const now = new Date();
    const [projects, above, below] = await Promise.all([
      listProjects(db, asker, { membership: true, limit: 10, offset: 0 }),
      Promise.all(urgent.map((part) => part(asker, now))),
      recent(asker, now),
    ]);
    const frame = frameOf(browser);
    const main = dashboardMain(browser.viewer, projects, { above, below }, now);
    const nav = homeNav("dashboard", frame.viewer);
    return sendPage(reply, appPage({ ...frame, title: "Dashboard", nav, main }));
  });
  app.get("/projects", async (request, reply) => projectsPage(platform, request, reply));
  app.get<{ Querystring: { namespace?: unknown } }>("/projects/new", async (request, reply) => {
    const { namespace } = request.query;
    const typed = typeof namespace === "string" ? { ...EMPTY, namespace } : EMPTY;
    return newProjectPage(platform, request, reply, typed, {});
  });
  app.post("/projects", async (request, reply) => makeProject(platform, record, request, reply));
}

async function projectsPage(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await browserOf(platform, request, reply);
  const asker = askerOf(browser.viewer);
  const search = queryText(request, "search");
  const page = queryPage(request);
  const slow = listQueries(platform.db, { search });
  const filter = { search: search || undefined, ...rowsOf({ page, perPage: PER_PAGE }) };
  const [total, projects] = await Promise.all([
    countProjects(slow, asker, filter),
    listProjects(slow, asker, filter),
  ]);
  const frame = frameOf(browser);
  const totalPages = totalPagesOf(total, PER_PAGE);
  const main = projectsMain(
    projects,
    { search, page, totalPages, signedIn: asker !== undefined },
    new Date(),
  );
  const nav = homeNav("projects", frame.viewer);
  return sendPage(
    reply,
    appPage({ ...frame, title: "Projects", crumbs: [{ label: "Projects" }], nav, main }),
  );
}

const EMPTY: TypedProject = { name: "", path: "", description: "", visibility: "private", namespace: "" };

async function newProjectPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  typed: TypedProject,
  faults: FieldProblem["fields"],
) {
  const browser = await needsViewer(platform, request, reply);
  const { viewer } = browser;
  const asker = askerOf(viewer);
  const choice = { role: "developer", typed: typed.namespace, viewer: asker } as const;
  const places = await findPlaces(platform.db, { id: asker.id, isAdmin: false }, choice);
  const frame = frameOf(browser);
  const failed = Object.keys(faults).length > 0;
  const { csrfToken } = browser;
  const { publicUrl } = platform.config;
  const main = newProjectMain({ csrfToken, publicUrl, own: viewer.username, places }, typed, faults);
  const crumbs = [{ label: "Projects", href: "/projects" }, { label: "New project" }];
  const nav = homeNav("projects", frame.viewer);
  const messages = [...frame.messages, ...(await restMessages(platform.db, asker, typed.namespace))];
  const page = appPage({ ...frame, messages, title: "New project", failed, crumbs, nav, main });
  return sendPage(reply, page, { failed });
}

async function makeProject(
  platform: Platform,
  record: RecordHappenings,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { viewer } = await checkFormOfViewer(platform, request, reply);
  const typed: TypedProject = {
    ...typedAbout(request),
    namespace: formText(request, "namespace").trim() || viewer.username,
  };
  const visibility = typedVisibility(typed, "private");
  try {
    checkDescription(typed);
    const namespace = await namespaceAt(platform.db, typed.namespace);
    const maker = askerOf(viewer);
    await addProject(platform.db, record, maker, { ...typed, namespace, visibility });
    const path = `/${namespace.fullPath}/${typed.path}`;
    return await redirectWith(platform, request, reply, path, {
      kind: "ok",
      text: `${typed.name} is ready.`,
    });
  } catch (error) {
    const faults = placeFaults(error, "namespace", "projects");
    if (!faults) throw error;
    return newProjectPage(platform, request, reply, typed, faults);
  }
}
