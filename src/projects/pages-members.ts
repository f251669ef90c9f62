/** `/<project>/-/members`: who works here, for Maintainers. */
import type { FastifyReply } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { peopleNamed } from "../accounts/people-named.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { appPage } from "../ui/layout.ts";
import { projectNav } from "../ui/navigation.ts";
import { addMembers, type Change, changeMember, removeMember } from "./change-members.ts";
import { parseExpiry } from "./expiry.ts";
import type { RecordHappenings } from "./happenings.ts";
import { type OpenPage, openProjectPage } from "./open-project-page.ts";
import type { PagePlace, ProjectPageHandler, ProjectPages } from "./page-route.ts";
import { membersMain, type TypedMember } from "./pages-members-views.ts";
import { ACCESS_LEVELS, roleName } from "./role.ts";
import { countMembers, listAllMembers, listMembers } from "./store-members.ts";

const PER_PAGE = 50;
const EMPTY: TypedMember = { username: "", accessLevel: "30", expiresAt: "" };

/** List, add, change, remove; every form leads back to the list. */
export function memberPages(at: ProjectPages, platform: Platform, record: RecordHappenings): void {
  at.get("/-/members", async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, "maintainer");
    const { page: asked } = request.query as Record<string, unknown>;
    return page ? membersPage(platform, reply, page, EMPTY, {}, Number(asked) || 1) : reply;
  });
  at.post("/-/members", async (request, reply, place) => {
    const page = await openForm(platform, request, reply, place);
    const typed: TypedMember = {
      username: formText(request, "username").trim().replace(/^@/, ""),
      accessLevel: formText(request, "access_level"),
      expiresAt: formText(request, "expires_at"),
    };
    try {
      const expiresAt = expiryOf(typed.expiresAt);
      const accessLevel = levelOf(typed.accessLevel);
      const userIds = await peopleNamed(platform.db, [typed.username], "username");
      await addMembers(changeOf(platform, record, page), userIds, { accessLevel, expiresAt });
      const text = `${typed.username} is now ${roleName(accessLevel)}.`;
      return await redirectWith(platform, request, reply, `${home(page)}#main`, { kind: "ok", text });
    } catch (error) {
      return membersPage(platform, reply, page, typed, faultsOf(error), 1);
    }
  });
  at.post(
    "/-/members/:id",
    changing(platform, record, async (change, userId, request) => {
      const accessLevel = levelOf(formText(request, "access_level"));
      await changeMember(change, userId, { accessLevel });
      return `The role is now ${roleName(accessLevel)}.`;
    }),
  );
  at.post(
    "/-/members/:id/remove",
    changing(platform, record, async (change, userId) => {
      await removeMember(change, userId);
      return "The member is removed.";
    }),
  );
}

type Act = (change: Change, userId: number, request: Parameters<ProjectPageHandler>[0]) => Promise<string>;

/** A form about one member; what is refused stands above the list. */
function changing(platform: Platform, record: RecordHappenings, act: Act): ProjectPageHandler {
  return async (request, reply, place) => {
    const page = await openForm(platform, request, reply, place);
    const userId = /^\d{1,15}$/.test(place.params.id ?? "") ? Number(place.params.id) : 0;
    try {
      const text = await act(changeOf(platform, record, page), userId, request);
      return await redirectWith(platform, request, reply, `${home(page)}#main`, { kind: "ok", text });
    } catch (error) {
      const kept = error instanceof Problem && (error.kind === "forbidden" || error.kind === "invalid");
      if (!kept) throw error;
      const text = error.kind === "forbidden" ? "Your own role does not reach that far." : error.message;
      return redirectWith(platform, request, reply, `${home(page)}#main`, { kind: "bad", text });
    }
  };
}

async function openForm(
  platform: Platform,
  request: Parameters<ProjectPageHandler>[0],
  reply: FastifyReply,
  { projectPath }: PagePlace,
): Promise<OpenPage> {
  // Forms are not redirected, so that there always is a page.
  return (await openProjectPage(platform, request, reply, projectPath, "maintainer")) as OpenPage;
}

function changeOf({ db }: Platform, record: RecordHappenings, { project, asker }: OpenPage): Change {
  const place = { source: { projectId: project.id }, access: project.access };
  return { db, record, place, actorId: asker?.id ?? 0 };
}

function home({ project }: OpenPage): string {
  return `/${project.fullPath}/-/members`;
}

/** @throws FieldProblem */
function levelOf(typed: string): number {
  const level = ACCESS_LEVELS.find((known) => String(known) === typed);
  if (!level) throw new FieldProblem({ access_level: ["is not one of the roles"] });
  return level;
}

/** @throws FieldProblem */
function expiryOf(typed: string): Date | null {
  if (typed.trim() === "") return null;
  const at = parseExpiry(typed);
  if (!at) throw new FieldProblem({ expires_at: ["is not a day; write it like 2027-03-01"] });
  return at;
}

function faultsOf(error: unknown): FieldProblem["fields"] {
  if (error instanceof FieldProblem) return error.fields;
  if (!(error instanceof Problem)) throw error;
  switch (error.kind) {
    case "not_found":
      return { username: ["is not known here"] };
    case "conflict":
      return { username: ["is a member already"] };
    case "forbidden":
      return { access_level: ["is above your own"] };
    default:
      throw error;
  }
}

async function membersPage(
  { db }: Platform,
  reply: FastifyReply,
  page: OpenPage,
  typed: TypedMember,
  faults: FieldProblem["fields"],
  asked: number,
) {
  const { project, browser, nav } = page;
  const source = { projectId: project.id };
  const number = Number.isSafeInteger(asked) && asked > 0 && asked < 1e6 ? asked : 1;
  const [total, members, everyone] = await Promise.all([
    countMembers(db, source),
    listMembers(db, source, {}, { limit: PER_PAGE, offset: (number - 1) * PER_PAGE }),
    listAllMembers(db, project.namespaceId, null, {}, { limit: 100, offset: 0 }),
  ]);
  const frame = frameOf(browser);
  const failed = Object.keys(faults).length > 0;
  const pages = { page: number, totalPages: Math.max(1, Math.ceil(total / PER_PAGE)) };
  const main = membersMain(
    project,
    browser.csrfToken,
    { members, inherited: everyone, pages },
    typed,
    faults,
  );
  const crumbs = [
    { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
    { label: project.name, href: `/${project.fullPath}` },
    { label: "Members" },
  ];
  const shown = appPage({
    ...frame,
    title: "Members",
    failed,
    crumbs,
    nav: projectNav("members", nav),
    main,
  });
  return sendPage(reply, shown, failed ? { status: 422 } : {});
}
