/** The overview of a project, and the page of a group. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { browserOf, frameOf } from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { linkButton } from "../ui/button.ts";
import { bareCard, card, emptyState, figures, pageHead, properties, stack } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { type IconName, icon } from "../ui/icon.ts";
import { appPage } from "../ui/layout.ts";
import { homeNav, projectNav } from "../ui/navigation.ts";
import { pager } from "../ui/table.ts";
import { timeAgo, timeDay } from "../ui/time.ts";
import type { Group } from "./group.ts";
import { type OpenPage, openProjectPage } from "./open-project-page.ts";
import type { ProjectPages } from "./page-route.ts";
import { projectTable, visibilityBadge } from "./pages-views.ts";
import { isAtLeast, roleName } from "./role.ts";
import { countProjects, listProjects } from "./store.ts";
import { countEnvironments } from "./store-environments.ts";
import { findVisibleGroup, listGroups } from "./store-groups.ts";
import { countAllMembers } from "./store-members.ts";

const PER_PAGE = 20;

/** `/<namespace…>/<project>` and `/<group…>` (reference ux §7). */
export function projectPages(at: ProjectPages, platform: Platform): void {
  at.get("", async (request, reply, { projectPath }) => {
    // A group may stand at an address of two words too.
    const group = await groupPage(platform, request, reply, projectPath);
    if (group !== undefined) return group;
    const page = await openProjectPage(platform, request, reply, projectPath);
    return page ? overview(platform, reply, page) : reply;
  });
  at.name((request, reply, name) => groupPage(platform, request, reply, name));
}

async function overview({ db }: Platform, reply: FastifyReply, page: OpenPage) {
  const { project, browser, nav } = page;
  const seesEnvironments = isAtLeast(project.access, "reporter");
  const [members, environments] = await Promise.all([
    countAllMembers(db, project.namespaceId, project.id),
    seesEnvironments ? countEnvironments(db, project.id) : undefined,
  ]);
  const frame = frameOf(browser);
  const crumbs = [
    { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
    { label: project.name },
  ];
  const main = overviewMain(page, members, environments, new Date());
  const shown = appPage({ ...frame, title: project.name, crumbs, nav: projectNav("overview", nav), main });
  return sendPage(reply, shown);
}

function overviewMain(page: OpenPage, members: number, environments: number | undefined, now: Date): Html {
  const { project, nav } = page;
  const { fullPath } = project;
  const isMaintainer = isAtLeast(project.access, "maintainer");
  const numbers = [
    { label: "Members", value: members },
    ...(environments === undefined ? [] : [{ label: "Environments", value: environments }]),
  ];
  const head = pageHead({
    heading: project.name,
    above: visibilityBadge(project.visibility),
    lead: project.description || undefined,
    actions: [
      linkButton("Activity", `/${fullPath}/activity`, { icon: "activity" }),
      nav.seesOperations && linkButton("Alerts", `/${fullPath}/-/alerts`, { icon: "bell", tone: "primary" }),
    ],
  });
  const about = card({
    id: "about",
    heading: "About",
    body: properties([
      ["Path", html`<code class="wrap-any">${fullPath}</code>`],
      ["Project ID", project.id],
      ["Your role", project.access > 0 ? roleName(project.access) : "Visitor"],
      ["Default branch", html`<code>${project.defaultBranch}</code>`],
      ["Created", timeDay(project.createdAt)],
      ["Last activity", timeAgo(project.lastActivityAt, now)],
    ]),
  });
  return html`${head}${stack([figures(numbers), about, isMaintainer && nextSteps(fullPath)])}`;
}

function nextSteps(fullPath: string): Html {
  const step = (picture: IconName, words: string, path: string, hint: string) =>
    html`<li>${icon(picture)}<div><a href="/${fullPath}/-/${path}">${words}</a><small>${hint}</small></div></li>`;
  return card({
    id: "next",
    heading: "Set up",
    body: html`<ul class="grants">${[
      step(
        "bell",
        "Receive alerts",
        "settings/operations",
        "Switch on an endpoint, copy its address and key, and send a test alert.",
      ),
      step(
        "users",
        "Invite people",
        "members",
        "Developers work on alerts and incidents, Reporters read, Maintainers set things up.",
      ),
      step("server", "Name environments", "environments", "Alerts that name one are shown with it."),
    ]}</ul>`,
  });
}

/** Shows the group at this path, or passes when there is none that the viewer may see. */
async function groupPage(platform: Platform, request: FastifyRequest, reply: FastifyReply, path: string) {
  const { db } = platform;
  const browser = await browserOf(platform, request, reply);
  const asker = browser.viewer && { id: browser.viewer.userId, isAdmin: browser.viewer.isAdmin };
  const group = await findVisibleGroup(db, asker, path);
  if (!group) return undefined;
  const { page: asked } = request.query as Record<string, unknown>;
  const number = /^\d{1,6}$/.test(String(asked)) ? Math.max(1, Number(asked)) : 1;
  const filter = { namespaceId: group.id, limit: PER_PAGE, offset: (number - 1) * PER_PAGE };
  const [total, projects, below] = await Promise.all([
    countProjects(db, asker, filter),
    listProjects(db, asker, filter),
    listGroups(db, asker, { leastAccess: 0, parentId: group.id }, { limit: 100, offset: 0 }),
  ]);
  const frame = frameOf(browser);
  const mayAdd = isAtLeast(group.access, "developer");
  const newProject = linkButton(
    "New project",
    `/projects/new?namespace=${encodeURIComponent(group.fullPath)}`,
    {
      tone: "primary",
      icon: "plus",
    },
  );
  const list =
    projects.length > 0
      ? projectTable(projects, new Date())
      : emptyState({
          heading: "No projects here",
          text: mayAdd
            ? "Projects of this group stand here."
            : "There is no project in this group that you may see.",
          action: mayAdd ? newProject : linkButton("All projects", "/projects"),
        });
  const totalPages = Math.max(1, Math.ceil(total / PER_PAGE));
  const head = pageHead({
    heading: group.name,
    above: visibilityBadge(group.visibility),
    lead: group.description || undefined,
    actions: [
      isAtLeast(group.access, "owner") &&
        linkButton("Applications", `/groups/${encodeURIComponent(group.fullPath)}/-/settings/applications`, {
          icon: "apps",
        }),
      mayAdd && newProject,
    ],
  });
  const main = html`${head}${stack([
    below.length > 0 && subgroups(below),
    bareCard("Projects", list),
    pager({ page: number, totalPages, hrefFor: (page) => `/${group.fullPath}?page=${page}` }),
  ])}`;
  const nav = homeNav(undefined, frame.viewer);
  const crumbs = [{ label: "Projects", href: "/projects" }, { label: group.fullPath }];
  return sendPage(reply, appPage({ ...frame, title: group.name, crumbs, nav, main }));
}

function subgroups(groups: readonly Group[]): Html {
  const links = groups.map((group) => html`<li><a href="/${group.fullPath}">${group.name}</a></li>`);
  return card({ id: "subgroups", heading: "Groups in this group", body: html`<ul>${links}</ul>` });
}
