/** A form whose button asks the browser for a passkey, by the script `passkey.js`. */
import { type ButtonLook, submitButton } from "./button.ts";
import { csrfField, hiddenField } from "./form.ts";
import { attrs, type Html, html } from "./html.ts";
import { icon } from "./icon.ts";

/** The parts of the form; its page must load `passkey.js`. */
export type PasskeyForm = {
  /** `create` registers a passkey, `get` uses one. */
  kind: "create" | "get";
  /** Where the challenge comes from, and where the response is sent (field `passkey`). */
  options: string;
  action: string;
  csrfToken: string;
  button: string;
  look?: ButtonLook;
  /** Fields above the button. */
  inside?: Html | undefined;
  error?: string | undefined;
};

/** Hidden without scripts, which passkeys need. */
export function passkeyForm(form: PasskeyForm): Html {
  const { kind, action, options, csrfToken, inside, button, look, error } = form;
  const own = { action, "data-passkey": kind, "data-options": options };
  const press = submitButton(button, { icon: "key", ...look });
  return html`<form class="form js" method="post"${attrs(own)}>${csrfField(csrfToken)}${hiddenField("passkey", "")}${inside}
${look?.size === "lg block" ? press : html`<div class="btn-row">${press}</div>`}
<p class="err" role="alert"${attrs({ "data-passkey-error": true, hidden: error === undefined })}>${icon("bad", 16)}<span>${error}</span></p></form>`;
}
