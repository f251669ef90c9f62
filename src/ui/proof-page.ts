/** The page that asks for the password or a passkey again; the form that waits for it is sent with the answer. */
import { PROOF_FIELD } from "../platform/form-with-proof.ts";
import type { SentForm } from "../platform/sent-form.ts";
import { submitButton } from "./button.ts";
import { accountField, csrfField, hiddenField, passwordField } from "./form.ts";
import { html } from "./html.ts";
import { gatePage } from "./layout.ts";
import type { Message } from "./message.ts";
import type { Theme, Viewer } from "./navigation.ts";
import { passkeyForm } from "./passkey-form.ts";
import { sentValues } from "./sent-values.ts";

/** Where a proof is sent if no form waits for it; the options of a passkey are below it. */
export const PROVE = "/users/prove";

/** Why a proof was refused. */
export type ProofFaults = { password?: string | undefined; passkey?: string | undefined };

/** The person who is asked, and the form that waits. */
export type ProofPage = {
  viewer: Viewer;
  theme: Theme;
  messages: readonly Message[];
  hasPasskeys: boolean;
  /** Where the person returns to instead. */
  back: string;
  /** The form that is sent with the proof; without one, the person returns to `back` and does it there. */
  waiting?: SentForm | undefined;
  faults?: ProofFaults;
};

/** Asks for a proof (decision 0047), and keeps the form that needs it (decision 0289). */
export function proofPage({ viewer, theme, messages, hasPasskeys, back, waiting, faults = {} }: ProofPage) {
  const { csrfToken, username } = viewer;
  const heading = hasPasskeys ? "Confirm that it’s you" : "Confirm your password";
  const action = waiting?.action ?? PROVE;
  const kept =
    waiting &&
    html`${hiddenField(PROOF_FIELD, "1")}${waiting.fields.map(([name, value]) => hiddenField(name, value))}`;
  const what = waiting
    ? "Nothing has been done yet: it is done once you confirm."
    : "Nothing has been done yet: you will return to where you were and can then confirm the action.";
  return gatePage({
    title: heading,
    heading,
    theme,
    messages,
    scripts: hasPasskeys ? ["passkey.js"] : [],
    lead: `This action is sensitive, and you signed in a while ago. ${what}`,
    failed: faults.password !== undefined || faults.passkey !== undefined,
    body: html`${waiting && sentValues(waiting, false)}${
      hasPasskeys &&
      html`<div class="mt">${passkeyForm({ kind: "get", action, options: `${PROVE}/passkey/options`, csrfToken, button: "Use your passkey", look: { tone: "primary", size: "lg block" }, inside: kept, error: faults.passkey })}</div>
<p class="or js mt">or</p>`
    }<form class="form mt" action="${action}" method="post">${csrfField(csrfToken)}${kept}${accountField(username)}
${passwordField({ name: "password", label: "Your password", error: faults.password, autocomplete: "current-password", required: true, autofocus: !hasPasskeys })}
${submitButton(waiting ? "Confirm" : "Continue", { tone: hasPasskeys ? undefined : "primary", size: "lg block" })}
</form>`,
    below: html`<a href="${back}">Cancel</a>`,
  });
}
