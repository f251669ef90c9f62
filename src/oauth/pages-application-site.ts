/** The places where applications are managed: one's own, a group's, and the administrators'. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { actOfViewer } from "../accounts/act-of-viewer.ts";
import type { Act } from "../accounts/audit.ts";
import { checkForm, frameOf, needsViewer, type SignedInBrowser } from "../accounts/browser.ts";
import { movedNamespace } from "../accounts/moved-namespace.ts";
import type { Queries } from "../platform/db.ts";
import type { Shown } from "../platform/form-shown.ts";
import { idIn } from "../platform/number-in.ts";
import { listQuery } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Html } from "../ui/html.ts";
import { appPage, type Crumb } from "../ui/layout.ts";
import {
  ADMIN_CRUMB,
  adminNav,
  groupNav,
  SETTINGS_CRUMB,
  type SideNav,
  settingsNav,
} from "../ui/navigation.ts";
import type { ApplicationFields } from "./application.ts";
import { findSettings } from "./find-settings.ts";
import type { FormFaults, FormLook } from "./pages-application-form.ts";
import {
  findManagedApplication,
  findOwnedGroup,
  type ManagedApplication,
  type Place,
} from "./store-applications.ts";

/** A place where applications are managed: what is listed there, who owns a new application, and what may be set. */
export interface Site {
  /** The address of the list. */
  home: string;
  /** The applications that the list shows, and those that may be reached at its addresses. */
  listed: Place;
  reached: Place;
  heading: string;
  lead: string;
  /** The heading of the list. */
  ofWhom: string;
  ownerId: number | null;
  groupId: number | undefined;
  /** What changes check again, besides the session: the role in the group. */
  right?: Act["right"];
  /** Whether the viewer may skip consent for an application, as only administrators may. */
  mayTrust: boolean;
  nav: SideNav;
  crumbs: readonly Crumb[];
}

/** Checks that the viewer may be here, and returns the place. @throws SignInNeeded; Problem not_found, forbidden */
export type SiteOf = (platform: Platform, request: FastifyRequest, browser: SignedInBrowser) => Promise<Site>;

/** `/profile/applications`: the viewer's own applications. */
export const personalSite: SiteOf = async (_platform, _request, browser) => {
  const { userId } = browser.viewer;
  const place: Place = { kind: "person", userId };
  return {
    home: "/profile/applications",
    listed: place,
    reached: place,
    heading: "Applications",
    lead: "Register an application that signs people in with Gatehouse, and see which applications can act for you.",
    ofWhom: "Your applications",
    ownerId: userId,
    groupId: undefined,
    mayTrust: false,
    nav: settingsNav("applications", frameOf(browser).viewer),
    crumbs: [SETTINGS_CRUMB],
  };
};

type SeesGroup = (asker: { id: number; isAdmin: boolean }, path: string) => Promise<boolean>;

/** Rights in groups; implemented in another slice, and passed in by `page-doors.ts`. */
export interface GroupRights {
  /** Whether a person may see the group at a path. */
  sees: SeesGroup;
  /** Locks the role of an owner until the commit. @throws Problem not_found, forbidden */
  holdOwner(tx: Queries, actorId: number, groupId: number): Promise<void>;
}

/** `/groups/:path/-/settings/applications`: for the owners of the group and of those above it. */
export function groupSite({ sees, holdOwner }: GroupRights): SiteOf {
  return async ({ db }, request, browser) => {
    const { path = "", id } = request.params as { path?: string; id?: string };
    const asker = { id: browser.viewer.userId, isAdmin: browser.viewer.isAdmin };
    if (path.includes("\0") || path.length > 1000) throw new Problem("not_found", "404 Not Found");
    // The address of a single application must not reveal to others whether it exists (reference oauth D79).
    const mayLearn = id === undefined ? sees : async () => false;
    const group = await ownedGroupAt(db, mayLearn, asker, path);
    const place: Place = { kind: "group", groupId: group.id };
    return {
      home: `/groups/${encodeURIComponent(group.fullPath)}/-/settings/applications`,
      listed: place,
      reached: place,
      heading: `Applications of ${group.name}`,
      lead: "They belong to the group, whoever registered them. Every owner of the group can manage them.",
      ofWhom: "Applications of the group",
      ownerId: null,
      groupId: group.id,
      right: (tx) => holdOwner(tx, asker.id, group.id),
      mayTrust: false,
      nav: groupNav("applications", { ...group, isOwner: true }),
      crumbs: [
        { label: "Groups", href: "/groups" },
        { label: group.name, href: `/${group.fullPath}` },
      ],
    };
  };
}

/**
 * Returns the group at this path, or the one that was there before it moved; links lead to its current address.
 * @throws Problem not_found, in the same words for missing and invisible; forbidden: they see it and do not own it
 */
async function ownedGroupAt(
  db: Queries,
  seesGroup: SeesGroup,
  asker: { id: number; isAdmin: boolean },
  path: string,
) {
  const there = await findOwnedGroup(db, asker, path);
  if (there) return there;
  const moved = await movedNamespace(db, path);
  const now = moved?.kind === "group" ? moved.fullPath : path;
  const group = now === path ? undefined : await findOwnedGroup(db, asker, now);
  if (group) return group;
  if (await seesGroup(asker, now))
    throw new Problem("forbidden", "This page is for the owners of the group.");
  throw new Problem("not_found", "404 Not Found");
}

const OF_WHOM = {
  everywhere: "Everybody’s applications",
  themselves: "Applications that registered themselves",
  instance: "Applications of the instance",
} as const;

/** `/admin/applications`: applications of the instance, and those of everybody; 404 for everybody else. */
export const adminSite: SiteOf = async (_platform, request, browser) => {
  if (!browser.viewer.isAdmin) throw new Problem("not_found", "404 Not Found");
  const { of } = request.query as { of?: unknown };
  const kind = of === "everybody" ? "everywhere" : of === "themselves" ? "themselves" : "instance";
  return {
    home: "/admin/applications",
    listed: { kind },
    reached: { kind: "everywhere" },
    heading: "Applications",
    lead: "Applications of the instance belong to nobody in particular. Trusted ones don’t ask people for consent.",
    ofWhom: OF_WHOM[kind],
    ownerId: null,
    groupId: undefined,
    mayTrust: true,
    nav: adminNav("applications", frameOf(browser).viewer),
    crumbs: [ADMIN_CRUMB],
  };
};

/** The viewer of a page, and the place. */
export interface Entered {
  browser: SignedInBrowser;
  site: Site;
}

/** Returns the viewer and the place. */
export async function enterSite(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  siteOf: SiteOf,
): Promise<Entered> {
  const browser = await needsViewer(platform, request, reply);
  return { browser, site: await siteOf(platform, request, browser) };
}

/** The same for a checked form, with the act for the audit log. @throws Problem forbidden: the form is stale */
export async function enterByForm(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  siteOf: SiteOf,
) {
  await checkForm(platform, request, reply);
  const entered = await enterSite(platform, request, reply, siteOf);
  return { ...entered, act: { ...actOfViewer(entered.browser, request), right: entered.site.right } };
}

/** Returns the application in the address. @throws Problem not_found: there is none here */
export async function applicationAt(
  { db }: Platform,
  request: FastifyRequest,
  site: Site,
): Promise<ManagedApplication> {
  const { id } = request.params as { id?: string };
  const found = await findManagedApplication(db.pooled, site.reached, idIn(id));
  if (!found) throw new Problem("not_found", "404 Not Found");
  return found;
}

/** The query of the address of the list of applications: whose, the search, and the page. */
export function applicationsQuery(request: FastifyRequest): string {
  return listQuery(request, { texts: ["of", "search"] });
}

/** What the form of an application contains. */
export interface TypedApplication {
  fields: ApplicationFields;
  trusted: boolean;
  /** The values that the form showed when its sender began; undefined: the current ones. */
  shown?: Shown;
  /** The faults; undefined: the form was not sent yet. */
  faults?: FormFaults;
}

/** Returns what the form shows besides the values of its fields. */
export async function lookOf(platform: Platform, site: Site, trusted: boolean): Promise<FormLook> {
  const { allowImplicit, allowPassword, allowLongLives: allowsLong } = await findSettings(platform);
  const closed = [
    ...(allowImplicit ? [] : (["implicit"] as const)),
    ...(allowPassword ? [] : (["password"] as const)),
  ];
  return { closed, trusted: site.mayTrust ? trusted : undefined, allowsLong };
}

/** Sends a page of the place; `failed`: a form was refused. */
export function sendAt(
  reply: FastifyReply,
  browser: SignedInBrowser,
  site: Site,
  page: { title: string; main: Html; crumbs?: readonly Crumb[]; failed?: boolean },
): FastifyReply {
  const { title, main, crumbs = [], failed = false } = page;
  const list: Crumb =
    crumbs.length > 0 ? { label: "Applications", href: site.home } : { label: "Applications" };
  return sendPage(
    reply,
    appPage({
      ...frameOf(browser),
      title: site.reached.kind === "everywhere" ? `${title} · Administration` : title,
      failed,
      crumbs: [...site.crumbs, list, ...crumbs],
      nav: site.nav,
      main,
    }),
    { failed },
  );
}
