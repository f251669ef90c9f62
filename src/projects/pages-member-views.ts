/** Views of one member: the form for role and end, and the question before a removal. */
import type { Shown } from "../platform/form-shown.ts";
import { submitButton } from "../ui/button.ts";
import { bareCard, pageHead } from "../ui/card.ts";
import { errorSummary, postForm, selectField, shownField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { questionMain } from "../ui/question.ts";
import { timeExact } from "../ui/time.ts";
import type { Member } from "./member.ts";
import { rolesUpTo } from "./pages-members-views.ts";
import type { PeoplePage } from "./pages-people.ts";

/** A change of a member that was refused: what was typed, and what is wrong with the end. */
export interface RefusedMember {
  role: string;
  end: string;
  /** What the form showed when its sender began. */
  shown: Shown;
  error: string;
}

interface MemberForm {
  action: string;
  back: string;
  refused: RefusedMember | undefined;
}

/** If role or end is left unchanged in the form, it stays as it is, to the minute, even if others have changed it meanwhile. */
export function memberMain(page: PeoplePage, member: Member, { action, back, refused }: MemberForm): Html {
  const { userId, name, username, accessLevel, expiresAt } = member;
  const day = expiresAt?.toISOString().slice(0, 10) ?? "";
  const shown = refused?.shown ?? { role: String(accessLevel), end: day };
  const end = `end-${userId}`;
  const hint = expiresAt
    ? html`Now ${timeExact(expiresAt)}. A day ends access at its start (UTC).`
    : "Access ends at the start of this day (UTC). Now never.";
  const fields = html`${shownField(shown)}${errorSummary([{ id: end, label: `End of ${name}`, error: refused?.error }])}
${selectField({ id: `role-${userId}`, name: "access_level", label: "Role", value: refused?.role ?? String(accessLevel), options: rolesUpTo(page.place.access) })}
${textField({ id: end, name: "expires_at", label: "Ends", note: "optional", type: "date", value: refused?.end ?? day, error: refused?.error, hint })}`;
  const form = postForm(
    { action, csrfToken: page.browser.csrfToken, cancel: back, asked: true },
    fields,
    submitButton("Save", { tone: "primary" }),
  );
  return html`${pageHead({ heading: name, lead: `@${username} in ${page.name}` })}${bareCard(name, html`<div class="body">${form}</div>`)}`;
}

/** Asks before a member is removed. */
export function removalMain(
  page: PeoplePage,
  { userId, name, username }: Member,
  asked: { action: string; back: string; csrfToken: string },
): Html {
  const isSelf = userId === page.asker.id;
  return questionMain({
    ...asked,
    heading: isSelf ? "Remove yourself?" : `Remove ${name}?`,
    text: isSelf
      ? `You can no longer work in ${page.name} as a member of it, until somebody adds you again. What you did stays.`
      : `${name} (@${username}) can no longer work in ${page.name}. What they did stays.`,
    confirm: "Remove",
    keep: "Keep",
  });
}
