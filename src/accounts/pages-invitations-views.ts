/** What administrators see of invitations that wait, and of a link that they hand over themselves. */
import { badge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { confirmDialog, postButton } from "../ui/dialog.ts";
import { type Html, html } from "../ui/html.ts";
import { secretField } from "../ui/secret.ts";
import { table } from "../ui/table.ts";
import { timeAgo, timeDay } from "../ui/time.ts";
import type { Flash } from "./browser.ts";
import type { Invitation } from "./invitation.ts";

/** The link just made, where it goes by no mail. */
export function invitedLinkCard(flash: Flash | undefined): Html | false {
  const { link, email } = flash?.secrets ?? {};
  if (link === undefined) return false;
  return card({
    id: "link",
    heading: `A link for ${email}`,
    lead: "Hand it over yourself. It works once, within seven days, and can’t be shown again.",
    once: true,
    body: secretField({ id: "invitation-link", label: "Link of the invitation", value: link }),
  });
}

/** Who was invited, by whom, to what, and what can be done about it. */
export function invitationTable(shown: {
  invitations: readonly Invitation[];
  home: string;
  csrfToken: string;
  now: Date;
}): Html {
  const { invitations, home, csrfToken, now } = shown;
  return table<Invitation>({
    caption: "Invitations that wait for an answer",
    rows: invitations,
    columns: [
      { head: "Email", rowHeader: true, cell: ({ email }) => html`<span class="wrap-any">${email}</span>` },
      { head: "To", cell: ({ place }) => place || "This Gatehouse" },
      {
        head: "Sent",
        cell: ({ sentAt, inviterName }) =>
          html`${timeAgo(sentAt, now)}<br><span class="sub">by ${inviterName}</span>`,
      },
      {
        head: "Ends",
        kind: "nowrap",
        cell: ({ expiresAt }) => (expiresAt > now ? timeDay(expiresAt) : badge("Over", "brass")),
      },
      { head: "What to do", cell: (invitation) => actions(invitation, home, csrfToken) },
    ],
  });
}

function actions({ id, email }: Invitation, home: string, csrfToken: string): Html {
  const words = html`Send again<span class="sr"> to ${email}</span>`;
  const again = postButton(`${home}/${id}/send`, csrfToken, submitButton(words, { size: "sm" }));
  const withdraw = confirmDialog(
    { words: "Withdraw", about: email, size: "sm" },
    {
      id: `withdraw-${id}`,
      heading: `Withdraw the invitation of ${email}?`,
      text: "The link that was sent leads nowhere then.",
      action: `${home}/${id}/withdraw`,
      csrfToken,
      confirm: "Withdraw",
      keep: "Keep",
    },
  );
  return html`<div class="btn-row">${again}${withdraw}</div>`;
}
