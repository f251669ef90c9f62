/** The overview of a project. */
import type { FastifyReply } from "fastify";
import { frameOf } from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { linkButton } from "../ui/button.ts";
import { card, figures, type GroupActivity, pageHead, properties, stack } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { type IconName, icon } from "../ui/icon.ts";
import { appPage } from "../ui/layout.ts";
import { projectNav } from "../ui/navigation.ts";
import { timeAgo, timeDay } from "../ui/time.ts";
import { type OpenPage, openProjectPage } from "./open-project-page.ts";
import type { ProjectPages } from "./page-route.ts";
import { groupPage } from "./pages-group.ts";
import { standing } from "./pages-views.ts";
import { isAtLeast, roleName } from "./role.ts";
import { countEnvironments } from "./store-environments.ts";
import { countAllMembers } from "./store-members.ts";

/** `/<namespace…>/<project>` and `/<group…>` (reference ux §7). */
export function projectPages(at: ProjectPages, platform: Platform, activity: GroupActivity): void {
  at.get("", async (request, reply, { projectPath }) => {
    // A group may stand at an address of two words too.
    const group = await groupPage(platform, request, reply, projectPath, activity);
    // A reply that is waited for is undefined once it is sent.
    if (group !== undefined || reply.sent) return reply;
    const page = await openProjectPage(platform, request, reply, projectPath);
    return page ? overview(platform, reply, page) : reply;
  });
  // The address of the repository in the records: there is none here to fetch, but a project to look at.
  at.get(".git", async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath);
    return page ? reply.redirect(`/${page.project.fullPath}`, 302) : reply;
  });
  at.name((request, reply, name) => groupPage(platform, request, reply, name, activity));
}

async function overview({ db }: Platform, reply: FastifyReply, page: OpenPage) {
  const { project, browser, nav } = page;
  const seesEnvironments = isAtLeast(project.access, "reporter");
  const [members, environments] = await Promise.all([
    countAllMembers(db, project.namespaceId, project.id),
    seesEnvironments ? countEnvironments(db, project.id) : undefined,
  ]);
  const frame = frameOf(browser.session);
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
    above: standing(project),
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
  return html`${head}${stack([figures(numbers), about, isMaintainer && !nav.notice && nextSteps(fullPath)])}`;
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
