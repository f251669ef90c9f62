/** Pending invitations, and the link to hand over if mail is off. */
import { badge } from "./badge.ts";
import { submitButton } from "./button.ts";
import { card } from "./card.ts";
import { confirmDialog, postButton } from "./dialog.ts";
import type { FormToken } from "./form.ts";
import { type Html, html } from "./html.ts";
import { secretField } from "./secret.ts";
import { table } from "./table.ts";
import { timeAgo, timeExact } from "./time.ts";

/** An invitation that was sent and not answered. */
export interface PendingInvitation {
  id: number;
  email: string;
  /** Null: the person asked for an account themselves. */
  inviterName: string | null;
  sentAt: Date;
  /** When its link expires. */
  expiresAt: Date;
}

export interface InvitationTable<I extends PendingInvitation> {
  invitations: readonly I[];
  /** What it invites to: a place, or a role. */
  to: { head: string; cell: (invitation: I) => string };
  /** The address below which `/<id>/send` and `/<id>/withdraw` are posted. */
  home: string;
  /** The query of the list's address, with which these addresses end. */
  query: string;
  csrfToken: FormToken;
  now: Date;
  /** Whether the viewer may send this one again; anyone who sees the table may withdraw it. */
  mayResend?: (invitation: I) => boolean;
}

/** The link that was just made, from the secrets of the previous redirect; shown once. */
export function invitedLinkCard(secrets: Readonly<Record<string, string>> | undefined): Html | false {
  const { link, email } = secrets ?? {};
  if (link === undefined) return false;
  return card({
    id: "link",
    heading: `A link for ${email}`,
    lead: "Send this link to them yourself. It works once, within seven days, and can’t be shown again.",
    once: true,
    body: secretField({ id: "invitation-link", label: "Invitation link", value: link }),
  });
}

/** The table of invitations, with their actions. */
export function invitationTable<I extends PendingInvitation>(shown: InvitationTable<I>): Html {
  const { invitations, to, now } = shown;
  return table<I>({
    caption: "Invitations that wait for an answer",
    rows: invitations,
    columns: [
      { head: "Email", rowHeader: true, cell: ({ email }) => html`<span class="wrap-any">${email}</span>` },
      { ...to, cell: (invitation) => html`<span class="wrap-any">${to.cell(invitation)}</span>` },
      {
        head: "Sent",
        cell: ({ sentAt, inviterName }) =>
          html`${timeAgo(sentAt, now)}<br><span class="sub wrap-any">by ${inviterName}</span>`,
      },
      {
        head: "Link ends",
        kind: "nowrap",
        cell: ({ expiresAt }) => (expiresAt > now ? timeExact(expiresAt) : badge("Over", "brass")),
      },
      ...(shown.csrfToken === undefined
        ? []
        : [{ head: "What to do", cell: (invitation: I) => actions(shown, invitation) }]),
    ],
  });
}

function actions<I extends PendingInvitation>(shown: InvitationTable<I>, invitation: I): Html {
  const { home, query, csrfToken, mayResend = () => true } = shown;
  const { id, email } = invitation;
  const words = html`Send again<span class="sr"> to ${email}</span>`;
  const again = postButton(`${home}/${id}/send${query}`, csrfToken, submitButton(words, { size: "sm" }));
  const withdraw = confirmDialog(
    { words: "Withdraw", about: email, size: "sm" },
    {
      id: `withdraw-${id}`,
      heading: `Withdraw the invitation of ${email}?`,
      text: "The link that was sent stops working.",
      action: `${home}/${id}/withdraw${query}`,
      csrfToken,
      confirm: "Withdraw",
      keep: "Keep",
    },
  );
  return html`<div class="btn-row">${mayResend(invitation) && again}${withdraw}</div>`;
}
