/** Views of the list of invitations of a project or group. */
import type { Invitation } from "../accounts/invitation.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, emptyState, pageHead, stack } from "../ui/card.ts";
import { errorSummary, type FormToken, faultOf, postForm, selectField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { invitationTable, invitedLinkCard } from "../ui/invitations.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager } from "../ui/table.ts";
import { ACCESS_LEVELS, roleName } from "./role.ts";

type Faults = Readonly<Record<string, readonly string[]>>;

/** What was typed into the form. */
export interface TypedInvitation {
  email: string;
  accessLevel: string;
  expiresAt: string;
}

interface Frame {
  home: string;
  /** The query of the list's address. */
  query: string;
  members: string;
  /** The level of the viewer. */
  access: number;
  csrfToken: FormToken;
  /** The secrets of the redirect: the link to hand over. */
  secrets: Readonly<Record<string, string>> | undefined;
}

interface InvitationsShown {
  invitations: readonly Invitation[];
  pages: { page: number; totalPages: number };
  now: Date;
  sendsMail: boolean;
}

/** The link just made where no mail is sent, the form, and the open invitations. */
export function invitationsMain(
  frame: Frame,
  shown: InvitationsShown,
  typed: TypedInvitation,
  faults: Faults,
): Html {
  const head = pageHead({
    heading: "Invitations",
    lead: "People invited by email. They become members once they accept.",
    actions: [linkButton("Members", frame.members, { icon: "users" })],
  });
  const none =
    shown.pages.page > 1
      ? pastTheEnd("invitations", frame.home)
      : emptyState({
          heading: "No pending invitations",
          text: "Invitations are listed here until they are accepted.",
        });
  const waiting = () =>
    invitationTable({
      ...frame,
      ...shown,
      to: { head: "Role", cell: ({ accessLevel }) => roleName(accessLevel ?? 0) },
      mayResend: ({ accessLevel }) => (accessLevel ?? 0) <= frame.access,
    });
  const flush = shown.invitations.length > 0 ? waiting() : none;
  return html`${head}${stack([
    invitedLinkCard(frame.secrets),
    frame.csrfToken !== undefined && inviteCard(frame, shown.sendsMail, typed, faults),
    card({ id: "pending", heading: "Waiting", flush }),
    pager({ ...shown.pages, hrefFor: (page) => `${frame.home}?page=${page}` }),
  ])}`;
}

function inviteCard(
  { home, access, csrfToken }: Frame,
  sendsMail: boolean,
  typed: TypedInvitation,
  faults: Faults,
): Html {
  const error = (field: string, label: string) => faultOf(faults, field, label);
  const email = error("email", "Email");
  const level = error("access_level", "This role");
  const end = error("expires_at", "The end");
  const hint = sendsMail
    ? "They get a link by email that works for seven days."
    : "This Gatehouse doesn’t send mail: you get a link to pass on, which works for seven days.";
  const roles = ACCESS_LEVELS.filter((known) => known <= access);
  const options = roles.map((known) => ({ value: String(known), label: roleName(known) }));
  const summary = errorSummary([
    { id: "email", label: "Email", error: email },
    { id: "access_level", label: "Role", error: level },
    { id: "expires_at", label: "Ends", error: end },
  ]);
  return card({
    id: "new",
    heading: "Invite somebody",
    body: postForm(
      { action: home, csrfToken, two: true },
      html`${summary}
${textField({ name: "email", label: "Email", type: "email", value: typed.email, error: email, hint, autocomplete: "off", spellcheck: false, required: true })}
${selectField({ name: "access_level", label: "Role", value: typed.accessLevel, error: level, options })}
${textField({ name: "expires_at", label: "Ends", note: "optional", type: "date", value: typed.expiresAt, error: end, hint: "Access ends at the start of this day (UTC)." })}`,
      submitButton("Invite", { tone: "primary" }),
    ),
  });
}
