/** `/<project>/-/invitations` and `/groups/<group>/-/invitations`: the invitations by mail address that were not accepted yet. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { type Inviter, invite } from "../accounts/invite.ts";
import { inviteAgain } from "../accounts/invite-again.ts";
import { findInvitations, invitationFor, withdrawInvitation } from "../accounts/pending-invitations.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { formText } from "../platform/form-text.ts";
import { listQuery, queryPage } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Forbidden, Problem } from "../platform/problem.ts";
import { appPage } from "../ui/layout.ts";
import { checkLevel } from "./change-members.ts";
import { expiryOfForm } from "./expiry.ts";
import { holdInviter } from "./hold-inviter.ts";
import { invitationsMain, type TypedInvitation } from "./pages-invitations-views.ts";
import type { PeopleDoor, PeoplePage } from "./pages-people.ts";
import { ACCESS_LEVELS, ROLES } from "./role.ts";

/** As many as fit into a page of 45 KB (decision 0325). */
const PER_PAGE = 20;
const EMPTY: TypedInvitation = { email: "", accessLevel: String(ROLES.developer), expiresAt: "" };

/**
 * The list, and the forms that invite, send again and withdraw, for Maintainers and Owners; every form leads back to the list.
 */
export function placeInvitationPages(door: PeopleDoor, platform: Platform): void {
  door("get", "/invitations", async (request, reply, page) =>
    listPage(platform, reply, page, {
      typed: EMPTY,
      faults: {},
      number: queryPage(request),
      query: listQuery(request),
    }),
  );
  door("post", "/invitations", async (request, reply, page) => {
    const typed: TypedInvitation = {
      email: formText(request, "email").trim(),
      accessLevel: formText(request, "access_level"),
      expiresAt: formText(request, "expires_at"),
    };
    try {
      const accessLevel = ACCESS_LEVELS.find((known) => String(known) === typed.accessLevel) ?? 0;
      if (accessLevel === 0) throw new FieldProblem({ access_level: ["is not one of the roles"] });
      checkLevel(page.place, accessLevel);
      const { source } = page.place;
      const invited = {
        source,
        accessLevel,
        memberUntil: expiryOfForm(typed.expiresAt),
        path: page.fullPath,
      };
      const wanted = { email: typed.email, place: invited };
      const { link } = await invite(platform, wanted, inviterOf(request, page, accessLevel));
      return await tell(platform, request, reply, page, { email: typed.email, link });
    } catch (error) {
      return listPage(platform, reply, page, { typed, faults: faultsOf(error), number: 1, query: "" });
    }
  });
  door("post", "/invitations/:id/send", async (request, reply, page, id) => {
    const filter = { ...page.place.source, id };
    const invitation = await invitationFor(platform.db, filter);
    try {
      const accessLevel = invitation.accessLevel ?? 0;
      checkLevel(page.place, accessLevel);
      const link = await inviteAgain(platform, invitation, filter, inviterOf(request, page, accessLevel));
      return await tell(platform, request, reply, page, { email: invitation.email, link });
    } catch (error) {
      if (!(error instanceof Problem) || error.kind === "not_found") throw error;
      const text = error.kind === "forbidden" ? "Your own role does not reach that far." : error.message;
      return redirectWith(platform, request, reply, listOf(request, page), { kind: "bad", text });
    }
  });
  door("post", "/invitations/:id/withdraw", async (request, reply, page, id) => {
    await withdrawInvitation(platform.db, { ...page.place.source, id }, inviterOf(request, page, 0));
    const text = "The invitation is withdrawn. Its link no longer works.";
    return redirectWith(platform, request, reply, listOf(request, page), { kind: "ok", text });
  });
}

function home(page: PeoplePage): string {
  return `${page.home}/invitations`;
}

function listOf(request: FastifyRequest, page: PeoplePage): string {
  return `${home(page)}${listQuery(request)}`;
}

function inviterOf(
  request: FastifyRequest,
  { asker, browser, place }: PeoplePage,
  accessLevel: number,
): Inviter {
  const right = holdInviter(asker.id, place.source, accessLevel);
  const name = browser.viewer?.name ?? "";
  return { actorId: asker.id, ip: request.ip, right, name, isAdmin: asker.isAdmin };
}

/** Goes back to the list, with the link to hand over if no mail was sent. */
function tell(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  page: PeoplePage,
  { email, link }: { email: string; link: string | undefined },
) {
  if (link === undefined) {
    const text = `An email to ${email} is on its way.`;
    return redirectWith(platform, request, reply, `${listOf(request, page)}#main`, { kind: "ok", text });
  }
  const flash = { kind: "ok", text: "", secrets: { email, link } } as const;
  return redirectWith(platform, request, reply, `${listOf(request, page)}#link`, flash);
}

function faultsOf(error: unknown): FieldProblem["fields"] {
  if (error instanceof FieldProblem) return error.fields;
  if (!(error instanceof Problem)) throw error;
  if (error.kind === "too_many") return { email: [`was not invited: ${error.message}`] };
  if (error.kind !== "forbidden") throw error;
  return error instanceof Forbidden
    ? { email: ["can be invited by administrators alone"] }
    : { access_level: ["is above your own"] };
}

interface Asked {
  typed: TypedInvitation;
  faults: FieldProblem["fields"];
  number: number;
  query: string;
}

async function listPage(
  platform: Platform,
  reply: FastifyReply,
  page: PeoplePage,
  { typed, faults, number, query }: Asked,
) {
  const { browser, place } = page;
  const range = rowsOf({ page: number, perPage: PER_PAGE });
  const { invitations, total } = await findInvitations(platform.db, place.source, range);
  const pages = { page: number, totalPages: totalPagesOf(total, PER_PAGE) };
  const main = invitationsMain(
    {
      home: home(page),
      query,
      members: `${page.home}/members`,
      access: place.access,
      csrfToken: browser.csrfToken,
      secrets: browser.flash?.secrets,
    },
    { invitations, pages, now: new Date(), sendsMail: mailIsOn(platform.config) },
    typed,
    faults,
  );
  const failed = Object.keys(faults).length > 0;
  const shown = appPage({
    ...frameOf(browser.session),
    title: `Invitations · ${page.name}`,
    failed,
    crumbs: [...page.crumbs, { label: "Members", href: `${page.home}/members` }, { label: "Invitations" }],
    nav: page.nav,
    main,
  });
  return sendPage(reply, shown, { failed });
}
