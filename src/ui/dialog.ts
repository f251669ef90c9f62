/** Confirmation dialogs for destructive actions; popovers without script, modal dialogs with it. */
import { type ButtonLook, classOf } from "./button.ts";
import { csrfField, type FormToken, hiddenField } from "./form.ts";
import { attrs, type Html, html } from "./html.ts";
import { icon } from "./icon.ts";

/** A question: `text` names the thing and what will be lost; both buttons name their action. */
export type Question<Token extends FormToken = string> = {
  /** Unique on the page: one dialog per row. */
  id: string;
  heading: string;
  text: Html | string;
  action: string;
  csrfToken: Token;
  fields?: Record<string, string>;
  /** More fields inside the form, such as a password or a name to type. */
  inside?: Html;
  confirm: string;
  keep: string;
  /** The action destroys nothing. */
  harmless?: boolean;
};

type Fields = Readonly<Record<string, string>>;

/** The button that opens the dialog. */
export type Asking = ButtonLook & { words: string; about?: string };

/**
 * A button and the dialog it opens; the form inside posts to the action. The focus starts on the safe choice. Returns false if
 * nothing may be changed.
 */
export function confirmDialog(asking: Asking, question: Question): Html;
export function confirmDialog(asking: Asking, question: Question<FormToken>): Html | false;
export function confirmDialog(asking: Asking, question: Question<FormToken>): Html | false {
  const { csrfToken } = question;
  if (csrfToken === undefined) return false;
  const tone = asking.tone ?? (question.harmless ? undefined : "danger");
  return html`${openButton({ ...asking, tone }, question.id)}${dialog({ ...question, csrfToken })}`;
}

function openButton(asking: Asking, id: string): Html {
  const { words, about } = asking;
  const look = classOf({ tone: asking.tone, size: asking.size });
  return html`<button class="${look}" type="button" popovertarget="${id}">${asking.icon && icon(asking.icon, 16)}${words}${about && html`<span class="sr"> ${about}</span>`}</button>`;
}

function dialog(question: Question): Html {
  const { id, heading, text, action, csrfToken, fields = {}, inside, confirm, keep, harmless } = question;
  const hidden = Object.entries(fields).map(([name, value]) => hiddenField(name, value));
  const autofocus = inside === undefined;
  return html`<dialog class="modal" id="${id}" popover aria-labelledby="${id}-heading"><form method="post" action="${action}">${csrfField(csrfToken)}${hidden}<h2 id="${id}-heading">${heading}</h2><p class="text-2">${text}</p>${inside}<div class="btn-row"><button class="btn" type="button" popovertarget="${id}" popovertargetaction="hide"${attrs({ autofocus })}>${keep}</button><button class="btn ${harmless ? "primary" : "danger solid"}" type="submit">${confirm}</button></div></form></dialog>`;
}

/** A form of a single button: for reversible actions that need no confirmation. Returns false if nothing may be changed. */
export function postButton(action: string, csrfToken: string, button: Html, fields?: Fields): Html;
export function postButton(action: string, csrfToken: FormToken, button: Html, fields?: Fields): Html | false;
export function postButton(
  action: string,
  csrfToken: FormToken,
  button: Html,
  fields: Fields = {},
): Html | false {
  if (csrfToken === undefined) return false;
  const hidden = Object.entries(fields).map(([name, value]) => hiddenField(name, value));
  return html`<form method="post" action="${action}">${csrfField(csrfToken)}${hidden}${button}</form>`;
}
