/** Opens every page of a group's settings: finds the viewer and the group, and checks that the viewer may see the page. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { browserOf, checkForm, SignInNeeded } from "../accounts/browser.ts";
import { movedNamespace } from "../accounts/moved-namespace.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { checkWritable, groupAt } from "./access.ts";
import { type Asker, askerOf } from "./asker.ts";
import type { Group } from "./group.ts";
import { readOnlyNotice } from "./lifecycle.ts";
import { browserAt, type PageBrowser } from "./page-browser.ts";
import { isAtLeast } from "./role.ts";
import { findGroupEverAt, findVisibleGroup, listNames } from "./store-groups.ts";

/** A page of a group that may be shown to one of its owners. */
export interface OpenGroupPage {
  browser: PageBrowser;
  asker: Asker;
  group: Group;
  /** The links from the list of groups down to the group itself, by names. */
  crumbs: readonly { label: string; href: string }[];
}

/**
 * Opens a page of `/groups/:path/-/…` for owners of the group and of those above it; forms (POST) are checked first. Returns
 * undefined after it has redirected from an old path to the new one.
 * @param options.allowsReadOnly whether a form may also change what is archived or marked for deletion
 * @throws SignInNeeded: a visitor; Problem not_found, the same for absent and invisible; forbidden
 */
export async function openGroupPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { allowsReadOnly = false } = {},
): Promise<OpenGroupPage | undefined> {
  const { db } = platform;
  const browser =
    request.method === "POST"
      ? await checkForm(platform, request, reply)
      : await browserOf(platform, request, reply);
  if (!browser.viewer) throw new SignInNeeded();
  const changes = request.method === "POST";
  const asker = { ...askerOf(browser.viewer), changes };
  const { path = "" } = request.params as { path?: string };
  // A form that was opened before the group got its present path is still accepted (decision 0122).
  const group = changes ? await findGroupEverAt(db, asker, path) : await groupAt(db, asker, path);
  if (!group) {
    if (await redirectMoved(platform, request, reply, path, asker)) return undefined;
    throw new Problem("not_found", "404 Not Found");
  }
  if (!isAtLeast(group.access, "owner")) {
    throw new Problem("forbidden", "This page is for the owners of the group.");
  }
  if (changes && !allowsReadOnly) checkWritable("group", group);
  return { browser: browserAt(group, browser), asker, group, crumbs: await crumbsTo(platform, group) };
}

/** What the navigation of a group needs. */
export function navGroup(group: Group) {
  return { ...group, isOwner: isAtLeast(group.access, "owner"), notice: readOnlyNotice("group", group) };
}

/** The links from the list of groups down to a group, each group by its name; the last one is the group itself. */
export async function crumbsTo({ db }: Platform, { lineage }: Pick<Group, "lineage">) {
  const above = await listNames(db, lineage);
  return [
    { label: "Groups", href: "/groups" },
    ...above.map(({ name, fullPath }) => ({ label: name, href: `/${fullPath}` })),
  ];
}

/** Redirects from a former path of a visible group to the same page of it; false: there is no such group. */
export async function redirectMoved(
  { db }: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  asker: Asker | undefined,
): Promise<boolean> {
  if (request.method === "POST") return false;
  const moved = await movedNamespace(db, path);
  const group = moved?.kind === "group" && (await findVisibleGroup(db, asker, String(moved.id)));
  if (!group) return false;
  const inside = /^\/groups\/[^/]+(\/.*)$/.exec(request.url)?.[1];
  const [, query = ""] = /^[^?]*(\?.*)$/.exec(request.url) ?? [];
  const place =
    inside === undefined
      ? `/${group.fullPath}${query}`
      : `/groups/${encodeURIComponent(group.fullPath)}${inside}`;
  reply.redirect(place, 301);
  return true;
}
