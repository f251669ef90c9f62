/** The page of a group: its groups and projects, and its latest events. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { browserOf, frameOf } from "../accounts/browser.ts";
import { queryPage } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { linkButton } from "../ui/button.ts";
import { type ActiveGroup, card, emptyState, type PlaceActivity, pageHead, stack } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { groupNav } from "../ui/navigation.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager } from "../ui/table.ts";
import { groupAt } from "./access.ts";
import { askerOf } from "./asker.ts";
import type { Group } from "./group.ts";
import { crumbsTo, navGroup, redirectMoved } from "./open-group-page.ts";
import { lifecycleBadge } from "./pages-lifecycle-views.ts";
import { projectTable, standing } from "./pages-views.ts";
import { isAtLeast } from "./role.ts";
import { countProjects, listProjects } from "./store.ts";
import { listGroups } from "./store-groups.ts";

const PER_PAGE = 20;
/** The most subgroups shown; the others are found by their paths. */
const MAX_BELOW = 100;

/** Sends the group that has this path; undefined if there is none that the viewer may see. */
export async function groupPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  activity: PlaceActivity<ActiveGroup>,
) {
  const { db } = platform;
  const browser = await browserOf(platform, request, reply);
  const asker = askerOf(browser.viewer);
  const group = await groupAt(db, asker, path);
  if (!group) return undefined;
  const number = queryPage(request);
  const filter = { namespaceId: group.id, ...rowsOf({ page: number, perPage: PER_PAGE }) };
  const now = new Date();
  const [total, projects, below, happened, crumbs] = await Promise.all([
    countProjects(db, asker, filter),
    listProjects(db, asker, filter),
    listGroups(db, asker, { leastAccess: 0, parentId: group.id }, { limit: MAX_BELOW + 1, offset: 0 }),
    activity(group, asker, now),
    crumbsTo(platform, group),
  ]);
  const frame = frameOf(browser);
  const nav = navGroup(group);
  const { newGroup, newProject } = additionsTo(group, nav.notice !== undefined);
  const none = number > 1 ? pastTheEnd("projects", `/${group.fullPath}`) : noProjects(newProject);
  const list = projects.length > 0 ? projectTable(projects, now) : none;
  const totalPages = totalPagesOf(total, PER_PAGE);
  const head = pageHead({
    heading: group.name,
    above: standing(group),
    lead: group.description || undefined,
    actions: [newGroup, newProject],
  });
  const main = html`${head}${stack([
    below.length > 0 && subgroups(group, below),
    card({ id: "projects", heading: "Projects", flush: list }),
    pager({ page: number, totalPages, hrefFor: (page) => `/${group.fullPath}?page=${page}` }),
    happened.card,
  ])}`;
  const { feeds } = happened;
  const side = groupNav("overview", nav);
  return sendPage(reply, appPage({ ...frame, feeds, title: group.name, crumbs, nav: side, main }));
}

/** Leads from a former path of a group to its present one; undefined if the viewer sees no group that had this path. */
export async function formerGroupPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
) {
  const { viewer } = await browserOf(platform, request, reply);
  return (await redirectMoved(platform, request, reply, path, askerOf(viewer))) ? reply : undefined;
}

/** The links by which the viewer adds a group or project, each false where they may not. */
function additionsTo({ access, fullPath }: Group, isReadOnly: boolean) {
  const mayAdd = !isReadOnly && isAtLeast(access, "developer");
  const within = `/groups/new?parent=${encodeURIComponent(fullPath)}`;
  const project = `/projects/new?namespace=${encodeURIComponent(fullPath)}`;
  return {
    newGroup: mayAdd && isAtLeast(access, "maintainer") && linkButton("New group", within, { icon: "plus" }),
    newProject: mayAdd && linkButton("New project", project, { tone: "primary", icon: "plus", key: "n" }),
  };
}

function noProjects(newProject: Html | false): Html {
  return emptyState({
    heading: "No projects here",
    text: newProject
      ? "Projects of this group are listed here."
      : "There is no project in this group that you can see.",
    action: newProject || linkButton("All projects", "/projects"),
  });
}

function subgroups({ fullPath }: Group, groups: readonly Group[]): Html {
  const links = groups
    .slice(0, MAX_BELOW)
    .map((group) => html`<li><a href="/${group.fullPath}">${group.name}</a> ${lifecycleBadge(group)}</li>`);
  const all = `/groups?${new URLSearchParams({ search: `${fullPath}/` })}`;
  const footer = groups.length > MAX_BELOW ? linkButton("Find others", all, { size: "sm" }) : undefined;
  const body = html`<ul>${links}</ul>`;
  return card({ id: "subgroups", heading: "Groups in this group", body, footer });
}
