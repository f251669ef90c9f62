/** `/<project>/-/members/:id` and the same of a group: role and end of one member, and the question before a removal. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { changedIn, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import { listQuery } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Forbidden, Problem } from "../platform/problem.ts";
import { faultOf } from "../ui/form.ts";
import type { Html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { exactWords } from "../ui/time.ts";
import { type Change, changeMember, levelToChange, removeMember } from "./change-members.ts";
import { expiryOfForm } from "./expiry.ts";
import type { RecordHappenings } from "./happenings.ts";
import type { Member } from "./member.ts";
import { memberMain, type RefusedMember, removalMain } from "./pages-member-views.ts";
import { mayChangeMember } from "./pages-members-views.ts";
import type { PeopleDoor, PeopleHandler, PeoplePage } from "./pages-people.ts";
import { ACCESS_LEVELS, roleName } from "./role.ts";
import { findMember } from "./store-members.ts";

const TOO_FAR = "Your own role does not reach that far.";

/** The forms that change and remove a member; both lead back to the page of the list that the address names. */
export function oneMemberPages(door: PeopleDoor, platform: Platform, record: RecordHappenings): void {
  const changing = (action: MemberAction) => changingMember(platform, record, action);
  door("get", "/members/:id", async (request, reply, page, userId) => {
    return memberPage(platform, request, reply, page, userId);
  });
  door(
    "post",
    "/members/:id",
    changing(async (change, userId, request) => {
      const typed = typedIn(request);
      // A form without the field `end`, as a program may send it, leaves the end as it is.
      const { role, end } = changedIn(typed, { end: "", ...shownIn(request) });
      const expiresAt = end === undefined ? undefined : expiryOfForm(end);
      const accessLevel = await changeMember(change, userId, {
        accessLevel: role === undefined ? undefined : levelOfForm(role),
        expiresAt,
      });
      const text = `The role is now ${roleName(accessLevel)}.${endWords(expiresAt)}`;
      return { text, accessLevel };
    }),
  );
  door("get", "/members/:id/remove", async (request, reply, page, userId) => {
    const member = await findMember(platform.db, page.place.source, userId);
    if (!member) throw new Problem("not_found", "404 Not Found");
    const back = listOf(request, page);
    const { csrfToken } = page.browser;
    if (csrfToken === undefined || !mayChangeMember(page, member)) {
      return redirectWith(platform, request, reply, back, { kind: "bad", text: TOO_FAR });
    }
    const action = `${membersHome(page)}/${userId}/remove${membersQuery(request)}`;
    return send(reply, page, member, removalMain(page, member, { action, back, csrfToken }));
  });
  door(
    "post",
    "/members/:id/remove",
    changing(async (change, userId) => {
      await removeMember(change, userId);
      return { text: "The member is removed.", accessLevel: 0 };
    }),
  );
}

/** The address of the list. */
export function membersHome(page: PeoplePage): string {
  return `${page.home}/members`;
}

/** The query of the list's address: the pages of its two tables. */
export function membersQuery(request: FastifyRequest): string {
  return listQuery(request, { pages: ["page", "inherited"] });
}

function listOf(request: FastifyRequest, page: PeoplePage): string {
  return `${membersHome(page)}${membersQuery(request)}#main`;
}

/** What is needed to change members, by the viewer of the page. */
export function changeByViewer(
  { db }: Platform,
  record: RecordHappenings,
  { place, asker }: PeoplePage,
): Change {
  return { db, record, place, actor: asker };
}

/** @throws FieldProblem */
export function levelOfForm(typed: string): number {
  const level = ACCESS_LEVELS.find((known) => String(known) === typed);
  if (!level) throw new FieldProblem({ access_level: ["is not one of the roles"] });
  return level;
}

function endWords(expiresAt: Date | null | undefined): string {
  if (expiresAt === undefined) return "";
  return expiresAt === null ? " It has no end." : ` It ends on ${exactWords(expiresAt)}.`;
}

/** Returns the message, and the resulting level of the member. */
type MemberAction = (
  change: Change,
  userId: number,
  request: FastifyRequest,
) => Promise<{ text: string; accessLevel: number }>;

/** The handler of a form about one member; a wrong end is shown at its field, another refusal above the list. */
function changingMember(platform: Platform, record: RecordHappenings, action: MemberAction): PeopleHandler {
  return async (request, reply, page, userId) => {
    const list = listOf(request, page);
    const isSelf = userId === page.asker.id && !page.asker.isAdmin;
    try {
      const { text, accessLevel } = await action(changeByViewer(platform, record, page), userId, request);
      // People who remove themselves or lower their own role may no longer see the list.
      const isOut = isSelf && accessLevel < levelToChange(page.kind);
      const back = isOut ? `/${page.fullPath}` : list;
      return await redirectWith(platform, request, reply, back, { kind: "ok", text });
    } catch (error) {
      const kept = error instanceof Problem && (error.kind === "forbidden" || error.kind === "invalid");
      if (!kept) throw error;
      const why = error instanceof Forbidden ? error.why : undefined;
      const end = error instanceof FieldProblem ? faultOf(error.fields, "expires_at", "The end") : undefined;
      if (end !== undefined) {
        const refused = { ...typedIn(request), shown: shownIn(request), error: end };
        return memberPage(platform, request, reply, page, userId, refused);
      }
      const text = error.kind === "invalid" ? error.message : (why ?? TOO_FAR);
      return redirectWith(platform, request, reply, list, { kind: "bad", text });
    }
  };
}

/** Role and end as typed into the form of a member. */
function typedIn(request: FastifyRequest) {
  return { role: formText(request, "access_level"), end: formText(request, "expires_at").trim() };
}

/** The form of one member. @throws Problem not_found: not a direct member */
async function memberPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  page: PeoplePage,
  userId: number,
  refused?: RefusedMember,
) {
  const member = await findMember(platform.db, page.place.source, userId);
  if (!member) throw new Problem("not_found", "404 Not Found");
  const back = listOf(request, page);
  if (!refused && !mayChangeMember(page, member)) {
    return redirectWith(platform, request, reply, back, { kind: "bad", text: TOO_FAR });
  }
  const action = `${membersHome(page)}/${userId}${membersQuery(request)}`;
  return send(
    reply,
    page,
    member,
    memberMain(page, member, { action, back, refused }),
    refused !== undefined,
  );
}

function send(reply: FastifyReply, page: PeoplePage, { name }: Member, main: Html, failed = false) {
  const shown = appPage({
    ...frameOf(page.browser.session),
    title: `${name} · Members · ${page.name}`,
    failed,
    crumbs: [...page.crumbs, { label: "Members", href: membersHome(page) }, { label: name }],
    nav: page.nav,
    main,
  });
  return sendPage(reply, shown, { failed });
}
