/** Pages that ask somebody who is not signed in for a mail address, or say why none is needed. */
import { submitButton } from "../ui/button.ts";
import { csrfField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { type Browser, frameOf } from "./browser.ts";

const BACK = html`<a href="/users/sign_in">Back to sign in</a>`;

/** The texts and values of such a page. */
export interface EmailPage {
  heading: string;
  lead: string;
  /** Text at the field. */
  hint?: string | undefined;
  /** The address that the form is sent to. */
  action: string;
  /** The typed value, and what is wrong with it. */
  email?: string | undefined;
  error?: string | undefined;
}

/** A form with one field, for the address to which a link is sent. */
export function emailPage(browser: Browser, { heading, lead, hint, action, email, error }: EmailPage): Html {
  return gatePage({
    ...frameOf(browser),
    title: heading,
    heading,
    lead,
    failed: error !== undefined,
    body: html`<form class="form mt" action="${action}" method="post">${csrfField(browser.csrfToken)}
${textField({ name: "email", label: "Email", type: "email", value: email, error, hint, autocomplete: "email", spellcheck: false, required: true, autofocus: true })}
${submitButton("Send the link", { tone: "primary", size: "lg block" })}
</form>`,
    below: BACK,
  });
}

/** A text instead, where no link is sent. */
export function wordsPage(browser: Browser, { heading, lead }: Pick<EmailPage, "heading" | "lead">): Html {
  return gatePage({ ...frameOf(browser), title: heading, heading, lead, body: html``, below: BACK });
}
