/** The activity of a project and the page of a person. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Browser, browserOf, frameOf } from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { visibleProject } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import { seenPages } from "../projects/open-project-page.ts";
import { openWorkOf, type ProjectPages } from "../projects/page-route.ts";
import type { Project } from "../projects/project.ts";
import { isAtLeast } from "../projects/role.ts";
import { badge } from "../ui/badge.ts";
import { contributionCalendar } from "../ui/calendar.ts";
import { figures, pageHead, stack } from "../ui/card.ts";
import { face } from "../ui/face.ts";
import { html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { homeNav, projectNav } from "../ui/navigation.ts";
import { dayWords } from "../ui/time.ts";
import type { Subject } from "./filter.ts";
import { EVENTS_A_PAGE, type FeedQuery, feedCard, feedQuery } from "./pages-feed.ts";
import { type Contribution, listContributions } from "./store-calendar.ts";
import { listEvents } from "./store-lists.ts";
import { findProfile, type Profile } from "./store-people.ts";

export function eventPages(pages: ProjectPages, platform: Platform): void {
  pages.get("/activity", async (request, reply, { projectPath }) => {
    const browser = await browserOf(platform, request, reply);
    const asker = askerOf(browser);
    const project = await visibleProject(platform.db, asker, projectPath);
    return showActivity(platform, request, reply, { browser, asker, project });
  });

  pages.name(async (request, reply, name) => {
    const person = await findProfile(platform.db, name);
    if (!person) return undefined;
    const browser = await browserOf(platform, request, reply);
    const asker = askerOf(browser);
    // A private profile is as if it were not there (reference ux 7).
    if (person.privateProfile && asker?.id !== person.id && !asker?.isAdmin) return undefined;
    return showPerson(platform, request, reply, { browser, asker, person });
  });
}

function askerOf({ viewer }: Browser): Asker | undefined {
  return viewer && { id: viewer.userId, isAdmin: viewer.isAdmin };
}

interface Seen {
  browser: Browser;
  asker: Asker | undefined;
}

async function showActivity(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { browser, asker, project }: Seen & { project: Project },
) {
  const { id: projectId, visibility, access, fullPath } = project;
  const query = feedQuery(request.query);
  const found = await eventsOf(platform, { projectId, visibility, access }, asker, query);
  const frame = frameOf(browser);
  const page = appPage({
    ...frame,
    messages: [...frame.messages, ...query.messages],
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
      ...seenPages(access),
    }),
    main: html`${pageHead({ heading: "Activity", lead: `What happened in ${project.name}.` })}${feedCard({
      heading: "Newest first",
      path: `/${fullPath}/activity`,
      query,
      ...found,
      now: new Date(),
      namesProjects: false,
      nothing: {
        heading: "Nothing has happened yet",
        text: "Pushes, comments, incidents and members will stand here, from the service itself, its API and connected forges.",
      },
    })}`,
  });
  return sendPage(reply, page);
}

async function showPerson(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { browser, asker, person }: Seen & { person: Profile },
) {
  const subject = { authorId: person.id };
  const today = person.now.toISOString().slice(0, 10);
  const yearAgo = new Date(Date.parse(today) - 364 * 86_400_000).toISOString().slice(0, 10);
  const query = feedQuery(request.query);
  const [found, contributions] = await Promise.all([
    eventsOf(platform, subject, asker, query),
    listContributions(platform.db, { subject, asker }, { from: yearAgo, to: today, zone: "UTC" }),
  ]);
  const frame = frameOf(browser);
  const page = appPage({
    ...frame,
    messages: [...frame.messages, ...query.messages],
    title: person.name,
    crumbs: [{ label: person.name }],
    nav: homeNav(undefined, frame.viewer),
    main: html`${profileHead(person)}${stack([
      contributionCalendar(daysOf(contributions), today),
      contributionFigures(contributions),
      feedCard({
        heading: "Activity",
        path: `/${person.username}`,
        query,
        ...found,
        now: person.now,
        namesProjects: true,
        nothing: {
          heading: "No public activity",
          text: `Nothing of ${person.name} is to be seen here yet.`,
        },
      }),
    ])}`,
  });
  return sendPage(reply, page);
}

function profileHead(person: Profile) {
  const marks = [
    person.isPlaceholder && badge("Outside person", "line"),
    person.isBlocked && badge("Blocked", "line"),
    person.privateProfile && badge("Private profile", "line"),
  ];
  return html`<div class="profile">${face(person.name)}<div><h1>${person.name}</h1><p class="meta"><span>@${person.username}</span><span>Joined ${dayWords(person.createdAt)}</span>${marks}</p></div></div>`;
}

function daysOf(contributions: readonly Contribution[]) {
  const days = new Map<string, number>();
  for (const { day, n } of contributions) days.set(day, (days.get(day) ?? 0) + n);
  return [...days].map(([date, count]) => ({ date, count }));
}

function contributionFigures(contributions: readonly Contribution[]) {
  const sum = (kind: Contribution["kind"]) =>
    contributions.filter((given) => given.kind === kind).reduce((total, { n }) => total + n, 0);
  return figures([
    { label: "Pushes", value: sum("push") },
    { label: "Merge requests", value: sum("merge_request") },
    { label: "Issues", value: sum("issue") },
    { label: "Comments", value: sum("comment") },
  ]);
}

async function eventsOf(
  platform: Platform,
  subject: Subject,
  asker: Asker | undefined,
  { filter, page }: FeedQuery,
) {
  const offset = (page - 1) * EVENTS_A_PAGE;
  return listEvents(platform.db, { subject, asker, filter, limit: EVENTS_A_PAGE, offset });
}
