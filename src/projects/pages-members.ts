/** `/<project>/-/members` and `/groups/<group>/-/members`: the members, for Maintainers and Owners. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { userIdNamed } from "../accounts/user-id-named.ts";
import { changedIn, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import { listQuery, queryPage } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Forbidden, Problem } from "../platform/problem.ts";
import { faultOf } from "../ui/form.ts";
import { appPage } from "../ui/layout.ts";
import { exactWords } from "../ui/time.ts";
import { addMembers, type Change, changeMember, levelToChange, removeMember } from "./change-members.ts";
import { expiryOfForm } from "./expiry.ts";
import type { RecordHappenings } from "./happenings.ts";
import { membersMain, type RefusedMember, type TypedMember } from "./pages-members-views.ts";
import type { PeopleDoor, PeopleHandler, PeoplePage } from "./pages-people.ts";
import { ACCESS_LEVELS, ROLES, roleName } from "./role.ts";
import { countAllMembers, countMembers, listAllMembers, listMembers } from "./store-members.ts";

const PER_PAGE = 50;
const EMPTY: TypedMember = { username: "", accessLevel: String(ROLES.developer), expiresAt: "" };

/** The list, and the forms that add, change and remove members; every form leads back to the list. */
export function memberPages(door: PeopleDoor, platform: Platform, record: RecordHappenings): void {
  door("get", "/members", async (request, reply, page) => {
    return membersPage(platform, reply, page, { typed: EMPTY, faults: {}, ...pagesIn(request) });
  });
  door("post", "/members", async (request, reply, page) => {
    const typed: TypedMember = {
      username: formText(request, "username").trim().replace(/^@/, ""),
      accessLevel: formText(request, "access_level"),
      expiresAt: formText(request, "expires_at"),
    };
    try {
      const expiresAt = expiryOfForm(typed.expiresAt);
      const accessLevel = levelOf(typed.accessLevel);
      const userId = await userIdNamed(platform.db, typed.username, "username").catch(unknownHere);
      await addMembers(changeOf(platform, record, page), [userId], { accessLevel, expiresAt });
      const text = `${typed.username} is now ${roleName(accessLevel)}.`;
      return await redirectWith(platform, request, reply, `${home(page)}#main`, { kind: "ok", text });
    } catch (error) {
      const faults = faultsOf(error);
      return membersPage(platform, reply, page, { typed, faults, query: "", number: 1, inheritedNumber: 1 });
    }
  });
  const changing = (action: MemberAction) => changingMember(platform, record, action);
  door(
    "post",
    "/members/:id",
    changing(async (change, userId, request) => {
      const typed = typedIn(request);
      // A form without the field `end`, as a program may send it, leaves the end as it is.
      const { role, end } = changedIn(typed, { end: "", ...shownIn(request) });
      const expiresAt = end === undefined ? undefined : expiryOfForm(end);
      const accessLevel = await changeMember(change, userId, {
        accessLevel: role === undefined ? undefined : levelOf(role),
        expiresAt,
      });
      const text = `The role is now ${roleName(accessLevel)}.${endWords(expiresAt)}`;
      return { text, accessLevel };
    }),
  );
  door(
    "post",
    "/members/:id/remove",
    changing(async (change, userId) => {
      await removeMember(change, userId);
      return { text: "The member is removed.", accessLevel: 0 };
    }),
  );
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

/** The handler of a form about one member; a refusal is shown above the list, and a wrong end at its field as well. */
function changingMember(platform: Platform, record: RecordHappenings, action: MemberAction): PeopleHandler {
  return async (request, reply, page, userId) => {
    const asked = pagesIn(request);
    const list = `${home(page)}${asked.query}#main`;
    const isSelf = userId === page.asker.id && !page.asker.isAdmin;
    try {
      const { text, accessLevel } = await action(changeOf(platform, record, page), userId, request);
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
        const refused = { userId, ...typedIn(request), shown: shownIn(request), error: end };
        return membersPage(platform, reply, page, { typed: EMPTY, faults: {}, refused, ...asked });
      }
      const text =
        error.kind === "invalid" ? error.message : (why ?? "Your own role does not reach that far.");
      return redirectWith(platform, request, reply, list, { kind: "bad", text });
    }
  };
}

function changeOf({ db }: Platform, record: RecordHappenings, { place, asker }: PeoplePage): Change {
  return { db, record, place, actor: asker };
}

function home(page: PeoplePage): string {
  return `${page.home}/members`;
}

/** Role and end as typed into the form of a member. */
function typedIn(request: FastifyRequest) {
  return { role: formText(request, "access_level"), end: formText(request, "expires_at").trim() };
}

/** Which pages of the two lists the address names. */
function pagesIn(request: FastifyRequest) {
  return {
    query: listQuery(request, { pages: ["page", "inherited"] }),
    number: queryPage(request),
    inheritedNumber: queryPage(request, "inherited"),
  };
}

/** @throws FieldProblem */
function levelOf(typed: string): number {
  const level = ACCESS_LEVELS.find((known) => String(known) === typed);
  if (!level) throw new FieldProblem({ access_level: ["is not one of the roles"] });
  return level;
}

/** @throws FieldProblem instead of `not_found`, which later means that the place is no longer visible */
function unknownHere(error: unknown): never {
  const isUnknown = error instanceof Problem && error.kind === "not_found";
  throw isUnknown ? new FieldProblem({ username: ["is not known here"] }) : error;
}

function faultsOf(error: unknown): FieldProblem["fields"] {
  if (error instanceof FieldProblem) return error.fields;
  if (!(error instanceof Problem)) throw error;
  switch (error.kind) {
    case "conflict":
      return { username: ["is a member already"] };
    case "forbidden":
      return { access_level: ["is above your own"] };
    default:
      throw error;
  }
}

interface MembersAsked {
  typed: TypedMember;
  faults: FieldProblem["fields"];
  refused?: RefusedMember;
  /** The query of the list's address. */
  query: string;
  /** Pages of the direct and of the inherited members. */
  number: number;
  inheritedNumber: number;
}

async function membersPage(
  { db }: Platform,
  reply: FastifyReply,
  page: PeoplePage,
  { typed, faults, refused, query, number, inheritedNumber }: MembersAsked,
) {
  const { browser, place } = page;
  const above = page.above && { namespaceId: page.above.namespaceId, projectId: null };
  const at = (asked: number) => rowsOf({ page: asked, perPage: PER_PAGE });
  const [total, members, inheritedTotal, inherited] = await Promise.all([
    countMembers(db, place.source),
    listMembers(db, place.source, {}, at(number)),
    above ? countAllMembers(db, above) : 0,
    above ? listAllMembers(db, above, {}, at(inheritedNumber)) : [],
  ]);
  const failed = Object.keys(faults).length > 0 || refused !== undefined;
  const pages = { page: number, totalPages: totalPagesOf(total, PER_PAGE) };
  const inheritedPages = { page: inheritedNumber, totalPages: Math.ceil(inheritedTotal / PER_PAGE) };
  const main = membersMain(
    page,
    { members, pages, query, refused, inherited, inheritedPages },
    typed,
    faults,
  );
  const shown = appPage({
    ...frameOf(browser.session),
    title: `Members · ${page.name}`,
    failed,
    crumbs: [...page.crumbs, { label: "Members" }],
    nav: page.nav,
    main,
  });
  return sendPage(reply, shown, { failed });
}
