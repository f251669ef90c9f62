/** The activity of a project, of a group, and of everything in which the viewer has a role. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Browser, browserOf, frameOf, needsViewer, SignInNeeded } from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { groupAt, visibleGroup, visibleProject } from "../projects/access.ts";
import { askerOf } from "../projects/asker.ts";
import type { Group } from "../projects/group.ts";
import { readOnlyNotice } from "../projects/lifecycle.ts";
import { crumbsTo, navGroup, redirectMoved } from "../projects/open-group-page.ts";
import { addressNow, seenPages } from "../projects/open-project-page.ts";
import { openWorkOf, type ProjectPages } from "../projects/page-route.ts";
import type { Project } from "../projects/project.ts";
import { isAtLeast } from "../projects/role.ts";
import { type ActiveGroup, type ActiveProject, card, type PlaceActivity, pageHead } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { groupNav, homeNav, projectNav } from "../ui/navigation.ts";
import { feed } from "../ui/timeline.ts";
import { feedItem, type PageFilter } from "./pages-feed.ts";
import { hookPages } from "./pages-hooks.ts";
import { activityCard, feedsAt } from "./pages-list.ts";
import { personPages } from "./pages-person.ts";
import { listEvents } from "./store-lists.ts";
import { ofProject, type Subject } from "./subject.ts";

export function eventPages(app: FastifyInstance, pages: ProjectPages, platform: Platform): void {
  const { db } = platform;
  pages.get("/activity", async (request, reply, { projectPath }) => {
    const browser = await browserOf(platform, request, reply);
    const project = await visibleProject(db, askerOf(browser.viewer), projectPath);
    const moved = addressNow(request, projectPath, project);
    if (moved !== undefined) return reply.redirect(moved, 301);
    return showProject(platform, request, reply, browser, project);
  });

  app.get<{ Params: { path: string } }>("/groups/:path/-/activity", async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    const group = await groupAt(db, askerOf(browser.viewer), request.params.path);
    if (
      !group &&
      (await redirectMoved(platform, request, reply, request.params.path, askerOf(browser.viewer)))
    ) {
      return reply;
    }
    if (!group && !browser.viewer) throw new SignInNeeded();
    if (!group) throw new Problem("not_found", "404 Not Found");
    return showGroup(platform, request, reply, browser, group);
  });

  app.get("/-/activity", async (request, reply) => showOwn(platform, request, reply));

  hookPages(pages, platform);
  personPages(pages, platform);
}

async function showProject(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
  project: Project,
) {
  const { access, fullPath } = project;
  const asker = askerOf(browser.viewer);
  const made = await activityCard(platform, request, reply, {
    subject: ofProject(project),
    asker,
    subjectNow: async (now) => ofProject(await visibleProject(platform.db, now, String(project.id))),
    listing: "project",
    heading: "Newest first",
    path: `/${fullPath}/activity`,
    namesProjects: false,
    days: project.eventRetentionDays,
    nothing: {
      heading: "Nothing has happened yet",
      text: "Pushes, comments, incidents and membership changes will appear here, whether they come from this service, its API or a connected forge.",
    },
  });
  if (!made) return reply;
  const frame = frameOf(browser);
  const page = appPage({
    ...frame,
    messages: [...frame.messages, ...made.messages],
    feeds: feedsOf(project, made.asked),
    title: `Activity · ${project.name}`,
    crumbs: [
      { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
      { label: project.name, href: `/${fullPath}` },
      { label: "Activity" },
    ],
    nav: projectNav("activity", {
      ...(await openWorkOf(request, project, isAtLeast(access, "reporter"))),
      name: project.name,
      fullPath,
      namespaceName: project.namespaceName,
      ...seenPages(project),
      notice: readOnlyNotice("project", project),
    }),
    main: html`${pageHead({ heading: "Activity", lead: `What happened in ${project.name}.` })}${made.card}`,
  });
  return sendPage(reply, page);
}

async function showGroup(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
  group: Group,
) {
  const asker = askerOf(browser.viewer);
  const made = await activityCard(platform, request, reply, {
    subject: { kind: "group", groupId: group.id },
    asker,
    subjectNow: async (now) => ({
      kind: "group",
      groupId: (await visibleGroup(platform.db, now, String(group.id))).id,
    }),
    listing: "user",
    heading: "Newest first",
    path: activityPath(group),
    namesProjects: true,
    nothing: NOTHING,
  });
  if (!made) return reply;
  const frame = frameOf(browser);
  const page = appPage({
    ...frame,
    messages: [...frame.messages, ...made.messages],
    feeds: feedsOf(group, made.asked),
    title: `Activity · ${group.name}`,
    crumbs: [...(await crumbsTo(platform, group)), { label: "Activity" }],
    nav: groupNav("activity", navGroup(group)),
    main: html`${pageHead({ heading: "Activity", lead: `What happened in the projects of ${group.name}.` })}${made.card}`,
  });
  return sendPage(reply, page);
}

const NOTHING = {
  heading: "Nothing has happened yet",
  text: "Activity in the projects that you can see will appear here.",
};

function activityPath({ fullPath }: Pick<Group, "fullPath">): string {
  return `/groups/${encodeURIComponent(fullPath)}/-/activity`;
}

function feedsOf(
  { visibility, fullPath, name }: { visibility: string; fullPath: string; name: string },
  asked?: PageFilter,
) {
  return visibility === "public" ? feedsAt(`/${fullPath}`, `${name} activity`, asked) : undefined;
}

async function showOwn(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await needsViewer(platform, request, reply);
  const asker = askerOf(browser.viewer);
  const subject: Subject = { kind: "memberships" };
  const made = await activityCard(platform, request, reply, {
    subject,
    asker,
    subjectNow: async () => subject,
    listing: "user",
    heading: "Newest first",
    path: "/-/activity",
    namesProjects: true,
    nothing: NOTHING,
  });
  if (!made) return reply;
  const frame = frameOf(browser);
  const page = appPage({
    ...frame,
    messages: [...frame.messages, ...made.messages],
    title: "Activity",
    crumbs: [{ label: "Activity" }],
    nav: homeNav("activity", frame.viewer),
    main: html`${pageHead({ heading: "Activity", lead: "What happened in your projects." })}${made.card}`,
  });
  return sendPage(reply, page);
}

const MAX_ON_OVERVIEW = 8;

/** What the page of a group shows besides its projects. */
export function groupActivity(platform: Platform): PlaceActivity<ActiveGroup> {
  return (group, asker, now) =>
    recently(platform, {
      subject: { kind: "group", groupId: group.id },
      asker,
      place: group,
      path: activityPath(group),
      now,
      namesProjects: true,
    });
}

/** What the page of a project shows besides its figures. */
export function projectActivity(platform: Platform): PlaceActivity<ActiveProject> {
  return (project, asker, now) => {
    const path = `/${project.fullPath}/activity`;
    const subject = ofProject(project);
    return recently(platform, { subject, asker, place: project, path, now, namesProjects: false });
  };
}

interface Recent extends Pick<Parameters<typeof listEvents>[1], "subject" | "asker"> {
  place: ActiveGroup;
  /** The address of all its events. */
  path: string;
  now: Date;
  namesProjects: boolean;
}

async function recently({ db }: Platform, { subject, asker, place, path, now, namesProjects }: Recent) {
  const asked = { subject, asker, filter: {}, limit: MAX_ON_OVERVIEW, offset: 0 };
  const { events } = await listEvents(db, asked);
  const feeds = feedsOf(place);
  if (events.length === 0) return { card: undefined, feeds };
  const items = events.map((event) => feedItem(event, namesProjects));
  return {
    feeds,
    card: card({
      id: "recent",
      heading: "Recent activity",
      flush: feed(items, now),
      footer: html`<span>Newest first. <a href="${path}">All activity</a></span>`,
    }),
  };
}
