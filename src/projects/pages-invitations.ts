/** `/<project>/-/invitations`: who was asked by mail address to work here and has not answered yet. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { type Inviter, invite } from "../accounts/invite.ts";
import { inviteAgain } from "../accounts/invite-again.ts";
import { findInvitation, findInvitations, withdrawInvitation } from "../accounts/pending-invitations.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { appPage } from "../ui/layout.ts";
import { projectNav } from "../ui/navigation.ts";
import { checkLevel } from "./change-members.ts";
import { parseExpiry } from "./expiry.ts";
import { type OpenPage, openProjectPage } from "./open-project-page.ts";
import type { PagePlace, ProjectPages } from "./page-route.ts";
import { invitationsMain, type TypedInvitation } from "./pages-invitations-views.ts";
import { ACCESS_LEVELS } from "./role.ts";

const EMPTY: TypedInvitation = { email: "", accessLevel: "30", expiresAt: "" };

/** List, invite, send again, withdraw, for Maintainers; every form leads back to the list. */
export function placeInvitationPages(at: ProjectPages, platform: Platform): void {
  at.get("/-/invitations", async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, "maintainer");
    return page ? listPage(platform, reply, page, EMPTY, {}) : reply;
  });
  at.post("/-/invitations", async (request, reply, place) => {
    const page = await openForm(platform, request, reply, place);
    const typed: TypedInvitation = {
      email: formText(request, "email").trim(),
      accessLevel: formText(request, "access_level"),
      expiresAt: formText(request, "expires_at"),
    };
    try {
      const accessLevel = ACCESS_LEVELS.find((known) => String(known) === typed.accessLevel) ?? 0;
      if (accessLevel === 0) throw new FieldProblem({ access_level: ["is not one of the roles"] });
      const { id, access, fullPath: path } = page.project;
      checkLevel({ source: { projectId: id }, access }, accessLevel);
      const invited = { source: { projectId: id }, accessLevel, memberUntil: untilOf(typed.expiresAt), path };
      const { link } = await invite(
        platform,
        { email: typed.email, place: invited },
        inviterOf(request, page),
      );
      return await tell(platform, request, reply, page, typed.email, link);
    } catch (error) {
      return listPage(platform, reply, page, typed, faultsOf(error));
    }
  });
  at.post("/-/invitations/:id/send", async (request, reply, place) => {
    const page = await openForm(platform, request, reply, place);
    const filter = { projectId: page.project.id, id: numberOf(place) };
    const invitation = await findInvitation(platform.db, filter);
    try {
      const source = { projectId: page.project.id };
      checkLevel({ source, access: page.project.access }, invitation.accessLevel ?? 0);
      const link = await inviteAgain(platform, invitation, filter, inviterOf(request, page));
      return await tell(platform, request, reply, page, invitation.email, link);
    } catch (error) {
      if (!(error instanceof Problem) || error.kind === "not_found") throw error;
      const text = error.kind === "forbidden" ? "Your own role does not reach that far." : error.message;
      return redirectWith(platform, request, reply, home(page), { kind: "bad", text });
    }
  });
  at.post("/-/invitations/:id/withdraw", async (request, reply, place) => {
    const page = await openForm(platform, request, reply, place);
    const act = { actorId: page.asker?.id ?? 0, ip: request.ip };
    await withdrawInvitation(platform.db, { projectId: page.project.id, id: numberOf(place) }, act);
    const text = "The invitation is withdrawn. Its link leads nowhere now.";
    return redirectWith(platform, request, reply, home(page), { kind: "ok", text });
  });
}

async function openForm(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { projectPath }: PagePlace,
): Promise<OpenPage> {
  // Forms are not redirected, so that there always is a page.
  return (await openProjectPage(platform, request, reply, projectPath, "maintainer")) as OpenPage;
}

function home({ project }: OpenPage): string {
  return `/${project.fullPath}/-/invitations`;
}

function inviterOf(request: FastifyRequest, { asker, browser }: OpenPage): Inviter {
  const name = browser.viewer?.name ?? "";
  return { actorId: asker?.id ?? 0, isAdmin: asker?.isAdmin ?? false, ip: request.ip, name };
}

/** @throws Problem not_found */
function numberOf({ params }: PagePlace): number {
  const id = params.id ?? "";
  if (!/^\d{1,15}$/.test(id)) throw new Problem("not_found", "404 Not Found");
  return Number(id);
}

/** @throws FieldProblem */
function untilOf(typed: string): Date | null {
  if (typed.trim() === "") return null;
  const at = parseExpiry(typed);
  if (!at) throw new FieldProblem({ expires_at: ["is not a day; write it like 2027-03-01"] });
  return at;
}

function tell(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  page: OpenPage,
  email: string,
  link: string | undefined,
) {
  if (link === undefined) {
    const text = `A mail to ${email} is on its way.`;
    return redirectWith(platform, request, reply, `${home(page)}#main`, { kind: "ok", text });
  }
  const flash = { kind: "ok", text: "", secrets: { email, link } } as const;
  return redirectWith(platform, request, reply, `${home(page)}#link`, flash);
}

function faultsOf(error: unknown): FieldProblem["fields"] {
  if (error instanceof FieldProblem) return error.fields;
  if (!(error instanceof Problem)) throw error;
  if (error.kind === "too_many") return { email: [`was not invited: ${error.message}`] };
  if (error.kind !== "forbidden") throw error;
  const isLevel = error.message === "403 Forbidden";
  return isLevel
    ? { access_level: ["is above your own"] }
    : { email: ["can be invited by administrators alone"] };
}

async function listPage(
  platform: Platform,
  reply: FastifyReply,
  page: OpenPage,
  typed: TypedInvitation,
  faults: FieldProblem["fields"],
) {
  const { project, browser, nav } = page;
  const { invitations } = await findInvitations(
    platform.db,
    { projectId: project.id },
    { limit: 100, offset: 0 },
  );
  const main = invitationsMain(
    {
      home: home(page),
      members: `/${project.fullPath}/-/members`,
      access: project.access,
      csrfToken: browser.csrfToken,
      secrets: browser.flash?.secrets,
    },
    { invitations, now: new Date(), sendsMail: mailIsOn(platform.config) },
    typed,
    faults,
  );
  const failed = Object.keys(faults).length > 0;
  const shown = appPage({
    ...frameOf(browser),
    title: "Invitations",
    failed,
    crumbs: [
      { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
      { label: project.name, href: `/${project.fullPath}` },
      { label: "Members", href: `/${project.fullPath}/-/members` },
      { label: "Invitations" },
    ],
    nav: projectNav("members", nav),
    main,
  });
  return sendPage(reply, shown, failed ? { status: 422 } : {});
}
