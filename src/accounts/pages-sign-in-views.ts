/** Views of the sign-in page and its second step. */

import type { FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { submitButton } from "../ui/button.ts";
import { checkbox } from "../ui/choice.ts";
import { csrfField, hiddenField, passwordField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { message } from "../ui/message.ts";
import { passkeyForm } from "../ui/passkey-form.ts";
import { type Browser, frameOf } from "./browser.ts";
import type { Factors } from "./store-second-factor.ts";

const KEEP = "remember";

/** Whether the checkbox for a long session is ticked (decision 0202). */
export function wantsToStay(request: FastifyRequest): boolean {
  return formText(request, KEEP) === "1";
}

/**
 * The form for name and password, or a passkey instead.
 * `stays`: that checkbox was ticked; `application`: the one that the person continues to; `back`: the encrypted return path;
 * `leadsOn`: it leads to a page of this service other than the first; `unclaimed`: there is no administrator yet; `isMismatch`:
 * the error is about name and password.
 */
export function signInPage(
  browser: Browser,
  shown: {
    username?: string;
    error?: Html | string;
    isMismatch?: boolean;
    stays?: boolean;
    application?: string | undefined;
    back?: string | undefined;
    leadsOn?: boolean;
    unclaimed?: boolean;
  },
): Html {
  const { username, error, application, unclaimed } = shown;
  const blamed = shown.isMismatch ? "refused" : undefined;
  const back = shown.back ? hiddenField("back", shown.back) : undefined;
  return gatePage({
    ...frameOf(browser),
    title: "Sign in",
    heading: "Sign in",
    ...leadTo(application, shown.leadsOn === true),
    failed: error !== undefined,
    scripts: ["passkey.js"],
    body: html`${unclaimed && html`<div class="mt">${message({ kind: "note", text: UNCLAIMED })}</div>`}${error && html`<div class="mt">${message({ kind: "bad", text: error, id: "refused" })}</div>`}
<form class="form mt" action="/users/sign_in" method="post">${csrfField(browser.csrfToken)}${back}
${textField({ name: "username", label: "Username or email", value: username, autocomplete: "username", spellcheck: false, required: true, autofocus: !username, blamed })}
${passwordField({ name: "password", label: "Password", autocomplete: "current-password", required: true, autofocus: Boolean(username), blamed })}
${checkbox(KEEP, { value: "1", label: "Keep me signed in for 30 days", checked: shown.stays })}
${submitButton("Sign in", { tone: "primary", size: "lg block" })}
</form>
<p class="or js mt">or</p>
<div class="mt">${passkeyForm({ kind: "get", action: "/users/sign_in/passkey", options: "/users/sign_in/passkey/options", csrfToken: browser.csrfToken, button: "Sign in with a passkey", inside: html`${back}${hiddenField(KEEP, "")}`, look: { size: "lg block" } })}</div>`,
    below: html`<a href="/users/password/new">Forgot your password?</a> · <a href="/users/sign_up">No account yet?</a>`,
  });
}

/** Says why the person is asked to sign in (reference ux §7, sign in). */
function leadTo(application: string | undefined, leadsOn: boolean): { lead?: Html | string } {
  if (application !== undefined)
    return { lead: html`to continue to <strong class="wrap-any">${application}</strong>` };
  return leadsOn ? { lead: "to open the page that you asked for" } : {};
}

const UNCLAIMED = html`There is no administrator yet. The first start printed a link that makes one; <code>npx gatehouse setup-link</code> prints a new one.`;

/** The second step, with the factors that this person has: passkey, app, recovery codes. */
export function secondStepPage(
  browser: Browser,
  { app, passkeys }: Pick<Factors, "app" | "passkeys">,
  shown: { error?: string; passkeyError?: string },
): Html {
  const hint = app
    ? "A new code appears every 30 seconds. Pasting works. A recovery code works here too."
    : "One of the ten that you stored when two-factor sign-in was turned on. Each works once.";
  const code = html`<form class="form mt" action="/users/two_factor" method="post">${csrfField(browser.csrfToken)}
${textField({ name: "code", label: app ? "Code" : "Recovery code", error: shown.error, hint, autocomplete: "one-time-code", spellcheck: false, required: true, autofocus: passkeys === 0 || shown.error !== undefined, code: true, maxlength: 40 })}
${submitButton("Verify", { tone: passkeys > 0 ? undefined : "primary", size: "lg block" })}
</form>`;
  const passkey = html`<div class="mt">${passkeyForm({ kind: "get", action: "/users/two_factor", options: "/users/two_factor/passkey/options", csrfToken: browser.csrfToken, button: "Use your passkey", look: { tone: "primary", size: "lg block" }, error: shown.passkeyError })}</div>
<p class="or js mt">or</p>`;
  const leads = app ? "Enter the six-digit code from your authenticator app." : "Enter a recovery code.";
  return gatePage({
    ...frameOf(browser),
    title: "Two-factor sign-in",
    heading: "Two-factor sign-in",
    lead:
      passkeys === 0
        ? leads
        : `Use your passkey, or enter a ${app ? "code from your authenticator app" : "recovery code"}.`,
    failed: shown.error !== undefined || shown.passkeyError !== undefined,
    scripts: passkeys > 0 ? ["passkey.js"] : [],
    body: html`${passkeys > 0 && passkey}${code}`,
    below: html`<a href="/users/sign_in">Sign in as someone else</a>`,
  });
}
