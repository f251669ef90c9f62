/** What every page about alerts shares: viewer, project, and the layout around the content. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Act } from "../accounts/audit.ts";
import { checkForm, frameOf, needsViewer, SignInNeeded } from "../accounts/browser.ts";
import type { SignedIn } from "../accounts/session.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { visibleProject } from "../projects/access.ts";
import { askerOf } from "../projects/asker.ts";
import { readOnlyNotice } from "../projects/lifecycle.ts";
import { addressNow, roleNeededWords, seenPages } from "../projects/open-project-page.ts";
import { browserAt, type PageBrowser } from "../projects/page-browser.ts";
import { Moved, type PagePlace } from "../projects/page-route.ts";
import type { Project } from "../projects/project.ts";
import { isAtLeast, type Role } from "../projects/role.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage, type Crumb } from "../ui/layout.ts";
import type { Message } from "../ui/message.ts";
import { type ProjectPage, projectNav } from "../ui/navigation.ts";
import { countOpenWork } from "./store-incidents.ts";

/** A page request whose viewer and project are known. */
export interface Visit {
  platform: Platform;
  request: FastifyRequest;
  reply: FastifyReply;
  browser: PageBrowser;
  viewer: SignedIn;
  /** The viewer as the audit log names them. */
  act: Act;
  project: Project;
  /** The path of the project, `/acme/rocket`. */
  home: string;
}

/**
 * Returns the viewer and project of a page request; a POST must carry a valid form token.
 * @throws SignInNeeded; Problem not_found or forbidden as the API does; Moved: the project has another path now
 */
export async function visit(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PagePlace,
  role: Role,
): Promise<Visit> {
  const browser =
    request.method === "POST"
      ? await checkForm(platform, request, reply)
      : await needsViewer(platform, request, reply);
  const { viewer } = browser;
  if (!viewer) throw new SignInNeeded();
  const asker = { ...askerOf(viewer), changes: request.method === "POST" };
  const project = await visibleProject(platform.db, asker, place.projectPath);
  if (!isAtLeast(project.access, role)) throw new Problem("forbidden", roleNeededWords(role));
  const moved = addressNow(request, place.projectPath, project);
  if (moved !== undefined) throw new Moved(moved);
  const act = { actorId: viewer.userId, ip: request.ip };
  const shown = browserAt(project, browser);
  return { platform, request, reply, browser: shown, viewer, act, project, home: `/${project.fullPath}` };
}

export interface PageParts {
  title: string;
  current: ProjectPage;
  /** Breadcrumbs after the project's own. */
  crumbs: readonly Crumb[];
  main: Html;
  messages?: readonly Message[];
  failed?: boolean;
  status?: number;
}

/** Sends a page in the project's layout, with the counts of open alerts and incidents in its navigation. */
export async function sendProjectPage(visited: Visit, parts: PageParts): Promise<FastifyReply> {
  const { platform, project, browser, reply, home } = visited;
  const open = await countOpenWork(platform.db, project.id);
  const frame = frameOf(browser.session);
  const page = appPage({
    ...frame,
    messages: [...frame.messages, ...(parts.messages ?? [])],
    title: `${parts.title} · ${project.name}`,
    failed: parts.failed ?? false,
    crumbs: [
      { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
      { label: project.name, href: home },
      ...parts.crumbs,
    ],
    nav: projectNav(parts.current, {
      name: project.name,
      fullPath: project.fullPath,
      namespaceName: project.namespaceName,
      ...open,
      ...seenPages(project),
      notice: readOnlyNotice("project", project),
    }),
    main: parts.main,
  });
  return sendPage(reply, page, { status: parts.status ?? 200 });
}

/** Renders `**words**` as bold, as in the lines of an activity. */
export function withBold(text: string): Html {
  const parts = text.split("**");
  // Unpaired stars are text.
  if (parts.length % 2 === 0) return html`${text}`;
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<strong>${part}</strong>` : part))}`;
}

/** Returns a query with its question mark, or an empty string; empty members are left out. */
export function queryString(members: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns one member of the query; undefined if it is absent, empty or repeated. */
export function queryMember(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === "string" && value !== "" && !value.includes("\0") ? value.slice(0, 500) : undefined;
}

/**
 * Returns the error beside a field as a sentence with the field's label: "Name can't be blank." An error that is a sentence
 * already is returned as it is.
 */
export function faultWords(label: string, faults: readonly string[] | undefined): string | undefined {
  const fault = faults?.[0];
  if (fault === undefined || !/^[a-z]/.test(fault)) return fault;
  return fault === "must be at least one" ? "Tick at least one." : `${label} ${fault}.`;
}
