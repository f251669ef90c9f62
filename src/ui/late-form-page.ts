/** The page for a form that came too late: nothing was done, and what was typed goes with the next try. */
import { linkButton, submitButton } from "./button.ts";
import { csrfField, hiddenField } from "./form.ts";
import { attrs, type Html, html } from "./html.ts";
import { gatePage } from "./layout.ts";
import type { Theme } from "./navigation.ts";

/** The form, and who sends it now. */
export type LateFormPage = {
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
  csrfToken: string;
  viewer: { name: string; username: string } | undefined;
  theme: Theme;
};

/** More than this is shown only to whoever asks for it, in characters. */
const SHOWN = 3000;

/** Shows what was typed, and offers to send it with the token of now (reference ux §7, 403). */
export function lateFormPage({ action, fields, csrfToken, viewer, theme }: LateFormPage): Html {
  const heading = "This form was open for too long";
  const who = viewer
    ? html`You are signed in as <strong class="wrap-any">${viewer.name}</strong> (@${viewer.username}).`
    : "You are not signed in. If you were, sign in by another tab first.";
  const typed = fields.filter(([, value]) => value !== "");
  const open = typed.join("").length <= SHOWN;
  return gatePage({
    title: heading,
    heading,
    theme,
    failed: true,
    lead: "Nothing was done. What you typed is kept: look at it, and send it once more.",
    body: html`<p class="mt">${who}</p>
<details class="more mt"${attrs({ open })}><summary>What is sent</summary><dl class="props mt-s"><div><dt>To</dt><dd><code class="wrap-any">${action}</code></dd></div>
${typed.map(([name, value]) => html`<div><dt class="wrap-any">${name.replace("[]", "").replaceAll("_", " ")}</dt><dd class="wrap-any">${value}</dd></div>`)}</dl></details>
<form class="mt" method="post" action="${action}">${csrfField(csrfToken)}${fields.map(([name, value]) => hiddenField(name, value))}
<div class="btn-row">${submitButton("Send it again", { tone: "primary" })}${linkButton("Leave it", "/")}${!viewer && html`<a class="btn" href="/users/sign_in" target="_blank">Sign in</a>`}</div></form>`,
  });
}
