/** `/groups` and `/groups/new`: the groups that the viewer may see, and the form for a new one (decision 0147). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { browserOf, checkFormOfViewer, frameOf, needsViewer, redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { queryPage, queryText } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import type { FieldProblem } from "../platform/problem.ts";
import { appPage } from "../ui/layout.ts";
import { homeNav } from "../ui/navigation.ts";
import { groupAtFor } from "./access.ts";
import { askerOf } from "./asker.ts";
import { createGroup } from "./create-group.ts";
import { listQueries } from "./list-queries.ts";
import { checkDescription, placeFaults, typedAbout, typedVisibility } from "./pages-about.ts";
import { groupsMain, newGroupMain, type TypedGroup } from "./pages-groups-views.ts";
import { findPlaces, restMessages } from "./pages-place-field.ts";
import { countGroups, listGroups } from "./store-groups.ts";

const PER_PAGE = 20;
const HOME = "/groups";

/**
 * Everybody who is signed in may create top-level groups, and Maintainers may create groups below theirs, as by `POST /groups`.
 */
export function groupsPages(app: FastifyInstance, platform: Platform): void {
  app.get(HOME, async (request, reply) => groupsPage(platform, request, reply));
  app.get<{ Querystring: { parent?: unknown } }>(`${HOME}/new`, async (request, reply) => {
    const { parent } = request.query;
    const typed = typeof parent === "string" ? { ...EMPTY, parent } : EMPTY;
    return newGroupPage(platform, request, reply, typed, {});
  });
  app.post(HOME, async (request, reply) => makeGroup(platform, request, reply));
}

async function groupsPage(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await browserOf(platform, request, reply);
  const asker = askerOf(browser.viewer);
  const search = queryText(request, "search");
  const page = queryPage(request);
  const slow = listQueries(platform.db, { search });
  const filter = { search: search || undefined, leastAccess: 0 };
  const [total, groups] = await Promise.all([
    countGroups(slow, asker, filter),
    listGroups(slow, asker, filter, rowsOf({ page, perPage: PER_PAGE })),
  ]);
  const totalPages = totalPagesOf(total, PER_PAGE);
  const main = groupsMain(groups, { search, page, totalPages, signedIn: asker !== undefined });
  const frame = frameOf(browser);
  const crumbs = [{ label: "Groups" }];
  return sendPage(
    reply,
    appPage({ ...frame, title: "Groups", crumbs, nav: homeNav("groups", frame.viewer), main }),
  );
}

const EMPTY: TypedGroup = { name: "", path: "", description: "", visibility: "private", parent: "" };

async function newGroupPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  typed: TypedGroup,
  faults: FieldProblem["fields"],
) {
  const browser = await needsViewer(platform, request, reply);
  const asker = askerOf(browser.viewer);
  const choice = { role: "maintainer", typed: typed.parent, viewer: asker } as const;
  const parents = await findPlaces(platform.db, { id: asker.id, isAdmin: false }, choice);
  const frame = frameOf(browser);
  const failed = Object.keys(faults).length > 0;
  const main = newGroupMain(browser.csrfToken, platform.config.publicUrl, parents, typed, faults);
  const crumbs = [{ label: "Groups", href: HOME }, { label: "New group" }];
  const nav = homeNav("groups", frame.viewer);
  const messages = [...frame.messages, ...(await restMessages(platform.db, asker, typed.parent))];
  const page = appPage({ ...frame, messages, title: "New group", failed, crumbs, nav, main });
  return sendPage(reply, page, { failed });
}

async function makeGroup(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const { viewer } = await checkFormOfViewer(platform, request, reply);
  const typed: TypedGroup = {
    ...typedAbout(request),
    parent: formText(request, "parent").trim(),
  };
  const visibility = typedVisibility(typed, "private");
  try {
    checkDescription(typed);
    const asker = { ...askerOf(viewer), changes: true };
    const parent = typed.parent
      ? await groupAtFor(platform.db, asker, typed.parent, "maintainer")
      : undefined;
    const made = await createGroup(platform.db, asker, { ...typed, parent, visibility });
    const text = `${made.name} is ready. Its members belong to every project that you make in it.`;
    return await redirectWith(platform, request, reply, `/${made.fullPath}`, { kind: "ok", text });
  } catch (error) {
    const faults = placeFaults(error, "parent", "groups");
    if (!faults) throw error;
    return newGroupPage(platform, request, reply, typed, faults);
  }
}
