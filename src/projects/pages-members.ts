/** `/<project>/-/members` and `/groups/<group>/-/members`: the members, for Maintainers and Owners. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { userIdNamed } from "../accounts/user-id-named.ts";
import { checkedTogether } from "../platform/checked-together.ts";
import { formText } from "../platform/form-text.ts";
import { queryPage } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { appPage } from "../ui/layout.ts";
import { addMembers, PAST, reaches } from "./change-members.ts";
import { expiryOfForm } from "./expiry.ts";
import type { RecordHappenings } from "./happenings.ts";
import { changeByViewer, levelOfForm, membersHome, membersQuery } from "./pages-member.ts";
import { membersMain, type TypedMember } from "./pages-members-views.ts";
import type { PeopleDoor, PeoplePage } from "./pages-people.ts";
import { ROLES, roleName } from "./role.ts";
import {
  countAllMembers,
  countMembers,
  findMember,
  isPast,
  listAllMembers,
  listMembers,
} from "./store-members.ts";

/** As many as fit together into a page of 45 KB (decision 0325). */
const PER_PAGE = 30;
const INHERITED_PER_PAGE = 20;
const MEMBER = { username: ["is a member already"] };
const ABOVE = { access_level: ["is above your own"] };
const EMPTY: TypedMember = { username: "", accessLevel: String(ROLES.developer), expiresAt: "" };

/** The list, and the form that adds members. */
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
      const [expiresAt, accessLevel, userId] = await checkedTogether([
        endToCome(platform, typed.expiresAt),
        levelToGive(page, typed.accessLevel),
        personToAdd(platform, page, typed.username),
      ]);
      await addMembers(changeByViewer(platform, record, page), [userId], { accessLevel, expiresAt });
      const text = `${typed.username} is now ${roleName(accessLevel)}.`;
      return await redirectWith(platform, request, reply, `${membersHome(page)}#main`, { kind: "ok", text });
    } catch (error) {
      const faults = faultsOf(error);
      return membersPage(platform, reply, page, { typed, faults, query: "", number: 1, inheritedNumber: 1 });
    }
  });
}

/** Which pages of the two lists the address names. */
function pagesIn(request: FastifyRequest) {
  return {
    query: membersQuery(request),
    number: queryPage(request),
    inheritedNumber: queryPage(request, "inherited"),
  };
}

/** @throws FieldProblem */
async function endToCome({ db }: Platform, typed: string): Promise<Date | null> {
  const at = expiryOfForm(typed);
  if (at && (await isPast(db, at))) throw new FieldProblem(PAST);
  return at;
}

/** @throws FieldProblem */
async function levelToGive({ place }: PeoplePage, typed: string): Promise<number> {
  const level = levelOfForm(typed);
  if (!reaches(place, level)) throw new FieldProblem(ABOVE);
  return level;
}

/** @throws FieldProblem */
async function personToAdd({ db }: Platform, { place }: PeoplePage, typed: string): Promise<number> {
  const userId = await userIdNamed(db, typed, "username").catch(unknownHere);
  if (await findMember(db, place.source, userId)) throw new FieldProblem(MEMBER);
  return userId;
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
    // Decided anew under a lock.
    case "conflict":
      return MEMBER;
    case "forbidden":
      return ABOVE;
    default:
      throw error;
  }
}

interface MembersAsked {
  typed: TypedMember;
  faults: FieldProblem["fields"];
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
  { typed, faults, query, number, inheritedNumber }: MembersAsked,
) {
  const { browser, place } = page;
  const above = page.above && { namespaceId: page.above.namespaceId, projectId: null };
  const direct = rowsOf({ page: number, perPage: PER_PAGE });
  const fromAbove = rowsOf({ page: inheritedNumber, perPage: INHERITED_PER_PAGE });
  const [total, members, inheritedTotal, inherited] = await Promise.all([
    countMembers(db, place.source),
    listMembers(db, place.source, {}, direct),
    above ? countAllMembers(db, above) : 0,
    above ? listAllMembers(db, above, {}, fromAbove) : [],
  ]);
  const failed = Object.keys(faults).length > 0;
  const pages = { page: number, totalPages: totalPagesOf(total, PER_PAGE) };
  const inheritedPages = {
    page: inheritedNumber,
    totalPages: Math.ceil(inheritedTotal / INHERITED_PER_PAGE),
  };
  const main = membersMain(page, { members, pages, query, inherited, inheritedPages }, typed, faults);
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
