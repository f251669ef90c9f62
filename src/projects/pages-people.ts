/** Registers the pages about people below the addresses of projects and groups. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { idIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import type { Crumb } from "../ui/layout.ts";
import { groupNav, projectNav, type SideNav } from "../ui/navigation.ts";
import type { Asker } from "./asker.ts";
import type { MemberPlace } from "./member.ts";
import { navGroup, type OpenGroupPage, openGroupPage } from "./open-group-page.ts";
import { openProjectPage, type SignedInPage } from "./open-project-page.ts";
import type { PageBrowser } from "./page-browser.ts";
import type { ProjectPages } from "./page-route.ts";

/** A project or group as the pages about its people need it. */
export interface PeoplePage {
  browser: PageBrowser;
  asker: Asker;
  kind: "project" | "group";
  /** With the level of the viewer. */
  place: MemberPlace;
  name: string;
  fullPath: string;
  /** The beginning of the addresses of these pages: `/acme/rocket/-`. */
  home: string;
  crumbs: readonly Crumb[];
  nav: SideNav;
  /** The group or user whose members have their roles here too. */
  above: { namespaceId: number; name: string; kind: "user" | "group" } | undefined;
}

export type PeopleHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  page: PeoplePage,
  /** The number in the address; 0 if it is none. */
  id: number,
) => Promise<unknown>;

/** Registers a page or a form once for projects (Maintainers) and once for groups (Owners). */
export type PeopleDoor = (method: "get" | "post", suffix: string, handler: PeopleHandler) => void;

export function peopleDoor(app: FastifyInstance, at: ProjectPages, platform: Platform): PeopleDoor {
  return (method, suffix, handler) => {
    at[method](`/-${suffix}`, async (request, reply, { projectPath, params }) => {
      const page = await openProjectPage(platform, request, reply, projectPath, { role: "maintainer" });
      return page ? handler(request, reply, ofProject(page), idIn(params.id)) : reply;
    });
    app[method](`/groups/:path/-${suffix}`, async (request, reply) => {
      const page = await openGroupPage(platform, request, reply);
      const { id } = request.params as { id?: string };
      return page ? handler(request, reply, ofGroup(page), idIn(id)) : reply;
    });
  };
}

function ofProject({ browser, asker, project, nav }: SignedInPage): PeoplePage {
  return {
    browser,
    asker,
    kind: "project",
    place: { source: { projectId: project.id }, access: project.access },
    name: project.name,
    fullPath: project.fullPath,
    home: `/${project.fullPath}/-`,
    crumbs: [
      { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
      { label: project.name, href: `/${project.fullPath}` },
    ],
    nav: projectNav("members", nav),
    above: { namespaceId: project.namespaceId, name: project.namespaceName, kind: project.namespaceKind },
  };
}

function ofGroup({ browser, asker, group, crumbs }: OpenGroupPage): PeoplePage {
  const around = group.parentId === null ? undefined : crumbs.at(-2);
  return {
    browser,
    asker,
    kind: "group",
    place: { source: { namespaceId: group.id }, access: group.access },
    name: group.name,
    fullPath: group.fullPath,
    home: `/groups/${encodeURIComponent(group.fullPath)}/-`,
    crumbs,
    nav: groupNav("members", navGroup(group)),
    above: around && { namespaceId: group.parentId ?? 0, name: around.label, kind: "group" },
  };
}
