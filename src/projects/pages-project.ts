/** The overview of a project. */
import type { FastifyReply } from "fastify";
import { frameOf, SignInNeeded } from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { linkButton } from "../ui/button.ts";
import {
  type ActiveGroup,
  type ActiveProject,
  card,
  figures,
  type PlaceActivity,
  pageHead,
  properties,
  stack,
} from "../ui/card.ts";
import { wholeNumber } from "../ui/count.ts";
import { type Html, html } from "../ui/html.ts";
import { type IconName, icon } from "../ui/icon.ts";
import { appPage } from "../ui/layout.ts";
import { projectNav } from "../ui/navigation.ts";
import { timeAgo, timeDay } from "../ui/time.ts";
import { type OpenPage, openProjectPage } from "./open-project-page.ts";
import type { ProjectPages } from "./page-route.ts";
import { formerGroupPage, groupPage } from "./pages-group.ts";
import { standing } from "./pages-views.ts";
import { isAtLeast, roleName } from "./role.ts";
import { countEnvironments } from "./store-environments.ts";
import { countAllMembers } from "./store-members.ts";

/** What other rooms contribute to the page of a place. */
export interface Overviews {
  ofGroup: PlaceActivity<ActiveGroup>;
  ofProject: PlaceActivity<ActiveProject>;
  /** What Maintainers see before the first alert of a project, whose pages are at `home`. */
  firstAlert(projectId: number, home: string): Promise<{ lacksSource: boolean; card: Html | undefined }>;
}

/** `/<namespace…>/<project>` and `/<group…>` (reference ux §7). */
export function projectPages(at: ProjectPages, platform: Platform, overviews: Overviews): void {
  at.get("", async (request, reply, { projectPath }) => {
    // A group may have a path of two segments too.
    const group = await groupPage(platform, request, reply, projectPath, overviews.ofGroup);
    // A reply that is awaited is undefined once it is sent.
    if (group !== undefined || reply.sent) return reply;
    try {
      const page = await openProjectPage(platform, request, reply, projectPath);
      return page ? await overview(platform, reply, page, overviews) : reply;
    } catch (error) {
      // Last, since a project may have got the former path of a group.
      if (!(error instanceof SignInNeeded || (error instanceof Problem && error.kind === "not_found")))
        throw error;
      await formerGroupPage(platform, request, reply, projectPath);
      if (reply.sent) return reply;
      throw error;
    }
  });
  // The address of the repository in the records: there is no repository here, so it leads to the project.
  at.get(".git", async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath);
    return page ? reply.redirect(`/${page.project.fullPath}`, 302) : reply;
  });
  at.name((request, reply, name) => groupPage(platform, request, reply, name, overviews.ofGroup));
  at.name((request, reply, name) => formerGroupPage(platform, request, reply, name));
}

async function overview({ db }: Platform, reply: FastifyReply, page: OpenPage, overviews: Overviews) {
  const { project, browser, nav, asker } = page;
  const seesEnvironments = isAtLeast(project.access, "reporter");
  const isMaintainer = isAtLeast(project.access, "maintainer");
  const now = new Date();
  const [members, environments, recent, first] = await Promise.all([
    countAllMembers(db, { namespaceId: project.namespaceId, projectId: project.id }),
    seesEnvironments ? countEnvironments(db, project.id) : undefined,
    overviews.ofProject(project, asker, now),
    isMaintainer && !nav.notice ? overviews.firstAlert(project.id, `/${project.fullPath}`) : undefined,
  ]);
  const frame = frameOf(browser.session);
  const crumbs = [
    { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
    { label: project.name },
  ];
  const main = html`${overviewHead(page)}${stack([
    figures(numbersOf(page, members, environments)),
    first?.card,
    first &&
      nextSteps(project.fullPath, {
        alerts: first.lacksSource,
        people: members < 2,
        names: environments === 0,
      }),
    recent.card,
    aboutCard(page, now),
  ])}`;
  const { feeds } = recent;
  const side = projectNav("overview", nav);
  return sendPage(reply, appPage({ ...frame, feeds, title: project.name, crumbs, nav: side, main }));
}

/** Open work first, each number with a link to what it counts; only the links that the role may open. */
function numbersOf({ project, nav }: OpenPage, members: number, environments: number | undefined) {
  const to = (value: number, path: string) =>
    html`<a href="/${project.fullPath}/-/${path}">${wholeNumber(value)}</a>`;
  const { openAlerts, openIncidents, seesOperations, seesIncidents, seesMembers } = nav;
  return [
    ...(seesOperations && openAlerts !== undefined
      ? [{ label: "Open alerts", value: to(openAlerts, "alerts") }]
      : []),
    ...(seesIncidents && openIncidents !== undefined
      ? [{ label: "Open incidents", value: to(openIncidents, "incidents") }]
      : []),
    { label: "Members", value: seesMembers ? to(members, "members") : members },
    ...(environments === undefined
      ? []
      : [{ label: "Environments", value: seesOperations ? to(environments, "environments") : environments }]),
  ];
}

function overviewHead({ project, nav }: OpenPage): Html {
  const { fullPath } = project;
  return pageHead({
    heading: project.name,
    above: standing(project),
    lead: project.description || undefined,
    actions: [
      linkButton("Activity", `/${fullPath}/activity`, { icon: "activity" }),
      nav.seesOperations && linkButton("Alerts", `/${fullPath}/-/alerts`, { icon: "bell", tone: "primary" }),
    ],
  });
}

function aboutCard({ project }: OpenPage, now: Date): Html {
  return card({
    id: "about",
    heading: "About",
    body: properties([
      ["Path", html`<code class="wrap-any">${project.fullPath}</code>`],
      ["Project ID", project.id],
      ["Your role", project.access > 0 ? roleName(project.access) : "Visitor"],
      ["Default branch", html`<code>${project.defaultBranch}</code>`],
      ["Created", timeDay(project.createdAt)],
      ["Last activity", timeAgo(project.lastActivityAt, now)],
    ]),
  });
}

/** What a new project still lacks; undefined once it has everything. */
function nextSteps(fullPath: string, lacks: { alerts: boolean; people: boolean; names: boolean }) {
  if (!lacks.alerts && !lacks.people && !lacks.names) return undefined;
  const step = (picture: IconName, words: string, path: string, hint: string) =>
    html`<li>${icon(picture)}<div><a href="/${fullPath}/-/${path}">${words}</a><small>${hint}</small></div></li>`;
  return card({
    id: "next",
    heading: "Set up",
    body: html`<ul class="grants">${[
      lacks.alerts &&
        step(
          "bell",
          "Receive alerts",
          "settings/operations",
          "Add an integration, copy its address and key, and send a test alert.",
        ),
      lacks.people &&
        step(
          "users",
          "Invite people",
          "members",
          "Developers work on alerts and incidents, Reporters can read, Maintainers change settings.",
        ),
      lacks.names &&
        step(
          "server",
          "Name environments",
          "environments",
          "Alerts that name an environment are linked to it.",
        ),
    ]}</ul>`,
  });
}
