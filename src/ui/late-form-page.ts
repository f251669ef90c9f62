/** The page for an expired form: nothing was done, and the typed values can be sent again. */
import type { SentForm } from "../platform/sent-form.ts";
import { linkButton, submitButton } from "./button.ts";
import { csrfField, hiddenField } from "./form.ts";
import { type Html, html } from "./html.ts";
import { gatePage } from "./layout.ts";
import type { Theme } from "./navigation.ts";
import { sentValues } from "./sent-values.ts";

/** The form, and the person who sends it now. */
export type LateFormPage = SentForm & {
  csrfToken: string;
  viewer: { name: string; username: string } | undefined;
  theme: Theme;
};

/** Shows the typed values, and offers to send them with a current token (reference ux §7, 403). */
export function lateFormPage({ action, fields, csrfToken, viewer, theme }: LateFormPage): Html {
  const heading = "This form was open for too long";
  const who = viewer
    ? html`You are signed in as <strong class="wrap-any">${viewer.name}</strong> (@${viewer.username}).`
    : "You are not signed in. If you were, sign in by another tab first.";
  return gatePage({
    title: heading,
    heading,
    theme,
    failed: true,
    lead: "Nothing has been changed yet. What you typed is kept: check it and send it again.",
    body: html`<p class="mt">${who}</p>
${sentValues({ action, fields }, true)}
<form class="mt" method="post" action="${action}">${csrfField(csrfToken)}${fields.map(([name, value]) => hiddenField(name, value))}
<div class="btn-row">${submitButton("Send it again", { tone: "primary" })}${linkButton("Leave it", "/")}${!viewer && html`<a class="btn" href="/users/sign_in" target="_blank">Sign in</a>`}</div></form>`,
  });
}
