/** `/admin/invitations`: pending invitations, and the form for a new one. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { mailIsOn } from "../outbox/send-mail.ts";
import { formText } from "../platform/form-text.ts";
import { numberIn } from "../platform/number-in.ts";
import { listQuery, queryPage, queryText } from "../platform/page-query.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { submitButton } from "../ui/button.ts";
import { card, emptyState, pageHead, stack } from "../ui/card.ts";
import { csrfField, faultOf, textField } from "../ui/form.ts";
import { html } from "../ui/html.ts";
import { invitationTable, invitedLinkCard } from "../ui/invitations.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager } from "../ui/table.ts";
import { checkFormOfAdministrator, needsAdminViewer } from "./admin-viewer.ts";
import { redirectWith } from "./browser.ts";
import { invite } from "./invite.ts";
import { inviteAgain } from "./invite-again.ts";
import { sendAdmin } from "./pages-admin-frame.ts";
import { findInvitations, invitationFor, withdrawInvitation } from "./pending-invitations.ts";

const HOME = "/admin/invitations";
const PER_PAGE = 20;

/** List, invite, send again, withdraw; including those of projects and groups. */
export function adminInvitationPages(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  app.get(HOME, async (request, reply) =>
    page(platform, request, reply, { email: queryText(request, "email") }),
  );
  app.post(HOME, async (request, reply) => {
    const email = formText(request, "email").trim();
    const again = `${HOME}?${new URLSearchParams({ email })}#new`;
    const { act, browser } = await checkFormOfAdministrator(platform, request, reply, again);
    try {
      const { link } = await invite(
        platform,
        { email },
        { ...act, name: browser.viewer.name, isAdmin: true },
      );
      return await redirectAfterInvite(platform, request, reply, email, link);
    } catch (error) {
      if (error instanceof Problem && error.kind === "too_many") {
        return page(platform, request, reply, { email, faults: { email: [error.message] } });
      }
      if (!(error instanceof FieldProblem)) throw error;
      return page(platform, request, reply, { email, faults: error.fields });
    }
  });
  app.post<{ Params: { id: string } }>(`${HOME}/:id/send`, async (request, reply) => {
    const list = `${HOME}${listQuery(request)}`;
    const { act, browser } = await checkFormOfAdministrator(platform, request, reply, list);
    const filter = { everywhere: true, id: idOr404(request.params.id) };
    const invitation = await invitationFor(db, filter);
    const inviter = { ...act, name: browser.viewer.name, isAdmin: true };
    try {
      const link = await inviteAgain(platform, invitation, filter, inviter);
      return await redirectAfterInvite(platform, request, reply, invitation.email, link);
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== "too_many") throw error;
      return redirectWith(platform, request, reply, list, { kind: "bad", text: error.message });
    }
  });
  app.post<{ Params: { id: string } }>(`${HOME}/:id/withdraw`, async (request, reply) => {
    const list = `${HOME}${listQuery(request)}`;
    const { act } = await checkFormOfAdministrator(platform, request, reply, list);
    await withdrawInvitation(db, { everywhere: true, id: idOr404(request.params.id) }, act);
    const text = "The invitation is withdrawn. Its link no longer works.";
    return redirectWith(platform, request, reply, list, { kind: "ok", text });
  });
}

/** @throws Problem not_found */
function idOr404(id: string): number {
  const number = numberIn(id);
  if (number === undefined) throw new Problem("not_found", "404 Not Found");
  return number;
}

function redirectAfterInvite(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  email: string,
  link: string | undefined,
) {
  const list = `${HOME}${listQuery(request)}`;
  if (link === undefined) {
    return redirectWith(platform, request, reply, list, {
      kind: "ok",
      text: `An email to ${email} is on its way.`,
    });
  }
  const flash = { kind: "ok", text: "", secrets: { email, link } } as const;
  return redirectWith(platform, request, reply, `${list}#link`, flash);
}

async function page(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, faults = {} }: { email?: string; faults?: FieldProblem["fields"] },
) {
  const browser = await needsAdminViewer(platform, request, reply);
  const number = queryPage(request);
  const rows = rowsOf({ page: number, perPage: PER_PAGE });
  const { invitations, total } = await findInvitations(platform.db, { everywhere: true }, rows);
  const hint = mailIsOn(platform.config)
    ? "They get a link by email that works for seven days."
    : "This Gatehouse doesn’t send mail: you get a link to pass on, which works for seven days.";
  const error = faultOf(faults, "email", "Email");
  const form = html`<form class="form" action="${HOME}" method="post">${csrfField(browser.csrfToken)}
${textField({ name: "email", label: "Email", type: "email", value: email, error, hint, autocomplete: "off", spellcheck: false, required: true, autofocus: error !== undefined })}
<div class="btn-row">${submitButton("Invite", { tone: "primary" })}</div></form>`;
  const none =
    number > 1
      ? pastTheEnd("invitations", HOME)
      : emptyState({
          heading: "No pending invitations",
          text: "Invitations are listed here until they are accepted.",
        });
  const list = invitationTable({
    invitations,
    to: { head: "To", cell: ({ place }) => place || "This Gatehouse" },
    home: HOME,
    query: listQuery(request),
    csrfToken: browser.csrfToken,
    now: new Date(),
  });
  const main = html`${pageHead({ heading: "Invitations", lead: "People who have been invited to this Gatehouse." })}${stack(
    [
      invitedLinkCard(browser.flash?.secrets),
      card({ id: "new", heading: "Invite somebody", body: form }),
      card({ id: "pending", heading: "Waiting", flush: invitations.length > 0 ? list : none }),
      pager({
        page: number,
        totalPages: totalPagesOf(total, PER_PAGE),
        hrefFor: (n) => `${HOME}?page=${n}`,
      }),
    ],
  )}`;
  const failed = Object.keys(faults).length > 0;
  return sendAdmin(reply, browser, { title: "Invitations", current: "invitations", main, failed });
}
