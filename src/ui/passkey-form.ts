/** A form whose button asks the browser for a passkey; assets/passkey.js does the asking. */
import { type ButtonLook, submitButton } from "./button.ts";
import { csrfField, hiddenField } from "./form.ts";
import { attrs, type Html, html } from "./html.ts";
import { icon } from "./icon.ts";

/** What the form does; its page loads the script `passkey.js`. */
export type PasskeyForm = {
  /** `create` makes a passkey, `get` asks for one. */
  kind: "create" | "get";
  /** Where the question comes from, and where the answer goes (field `passkey`). */
  options: string;
  action: string;
  csrfToken: string;
  button: string;
  look?: ButtonLook;
  /** Fields above the button. */
  inside?: Html;
  error?: string | undefined;
};

/** Hidden where no script runs: there is no passkey without one. */
export function passkeyForm(form: PasskeyForm): Html {
  const { kind, action, options, csrfToken, inside, button, look, error } = form;
  const own = { action, "data-passkey": kind, "data-options": options };
  const press = submitButton(button, { icon: "key", ...look });
  return html`<form class="form js" method="post"${attrs(own)}>${csrfField(csrfToken)}${hiddenField("passkey", "")}${inside}
${look?.size === "lg block" ? press : html`<div class="btn-row">${press}</div>`}
<p class="err" role="alert"${attrs({ "data-passkey-error": true, hidden: error === undefined })}>${icon("bad", 16)}<span>${error}</span></p></form>`;
}
