/** Opens every page of a project: finds the viewer and the project, and checks that the viewer may see the page. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { browserOf, checkForm, SignInNeeded } from "../accounts/browser.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { checkWritable } from "./access.ts";
import { type Asker, askerOf } from "./asker.ts";
import { isReadOnly, type ReadOnlyNotice, readOnlyNotice } from "./lifecycle.ts";
import { browserAt, type PageBrowser } from "./page-browser.ts";
import { openWorkOf } from "./page-route.ts";
import type { Project } from "./project.ts";
import { isAtLeast, ROLES, type Role, roleName } from "./role.ts";
import { findVisibleProject } from "./store.ts";

/** A project page that may be shown. */
export interface OpenPage {
  browser: PageBrowser;
  /** The viewer as the access rules take it; undefined for visitors. */
  asker: Asker | undefined;
  project: Project;
  /** What the project's side navigation needs. */
  nav: {
    name: string;
    fullPath: string;
    namespaceName: string;
    seesOperations: boolean;
    seesIncidents: boolean;
    seesMembers: boolean;
    seesMove: boolean;
    notice?: ReadOnlyNotice | undefined;
    openAlerts?: number;
    openIncidents?: number;
  };
}

/** A page of somebody who has a role in the project, and so is signed in. */
export interface SignedInPage extends OpenPage {
  asker: Asker;
}

/** Who may open the page, and for what. */
interface Opening {
  /** The least role that the viewer needs there; none: everybody who may see the project. */
  role?: Role;
  /** Whether a form may also change what is archived or marked for deletion. */
  allowsReadOnly?: boolean;
}

/**
 * Opens a page of the project at this path; forms (POST) are checked first. Returns undefined after it has redirected from an old
 * path to the new one.
 * @throws SignInNeeded: a visitor, and more is needed; Problem not_found, the same for absent and invisible; forbidden
 */
export async function openProjectPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  projectPath: string,
  opening: Opening & { role: Role },
): Promise<SignedInPage | undefined>;
export async function openProjectPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  projectPath: string,
): Promise<OpenPage | undefined>;
export async function openProjectPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  projectPath: string,
  { role, allowsReadOnly = false }: Opening = {},
): Promise<OpenPage | undefined> {
  const browser =
    request.method === "POST"
      ? await checkForm(platform, request, reply)
      : await browserOf(platform, request, reply);
  const asker = browser.viewer && { ...askerOf(browser.viewer), changes: request.method === "POST" };
  const project = await findVisibleProject(platform.db, asker, projectPath);
  if (!project && !asker) throw new SignInNeeded();
  if (!project) throw new Problem("not_found", "404 Not Found");
  if (role) {
    if (!asker) throw new SignInNeeded();
    if (!isAtLeast(project.access, role)) throw new Problem("forbidden", roleNeededWords(role));
  }
  if (asker?.changes && !allowsReadOnly) checkWritable("project", project);
  const moved = addressNow(request, projectPath, project);
  if (moved !== undefined) {
    reply.redirect(moved, 301);
    return undefined;
  }
  const nav = navOf(project);
  return {
    browser: browserAt(project, browser),
    asker,
    project,
    nav: { ...nav, ...(await openWorkOf(request, project, nav.seesIncidents)) },
  };
}

/** The address of a page that was asked for under a former path of its project; undefined: it has the current one, or is a form. */
export function addressNow(
  request: FastifyRequest,
  projectPath: string,
  { fullPath }: Pick<Project, "fullPath">,
): string | undefined {
  const reads = request.method === "GET" || request.method === "HEAD";
  if (!reads || fullPath.toLowerCase() === projectPath.toLowerCase()) return undefined;
  // Any character of the path may have been sent percent-encoded.
  const former = new RegExp(`^/(?:%[\\da-f]{2}|.){${projectPath.length}}`, "i");
  return request.url.replace(former, `/${fullPath}`);
}

/** Who a page of a project is for, said to people whose role is too low. */
export function roleNeededWords(role: Role): string {
  return `This page is for people who are at least ${roleName(ROLES[role])} of the project.`;
}

function navOf(project: Project): OpenPage["nav"] {
  return {
    name: project.name,
    fullPath: project.fullPath,
    namespaceName: project.namespaceName,
    ...seenPages(project),
    notice: readOnlyNotice("project", project),
  };
}

/**
 * The pages of a project that its navigation shows to a role: those that the role may open (decision 0102), and no move of what
 * is archived or marked for deletion.
 */
export function seenPages(project: Project) {
  const { access } = project;
  const isDeveloper = isAtLeast(access, "developer");
  return {
    seesOperations: isDeveloper,
    seesIncidents: isAtLeast(access, "reporter"),
    seesMembers: isAtLeast(access, "maintainer"),
    seesMove: isAtLeast(access, "owner") && !isReadOnly(project),
  };
}
