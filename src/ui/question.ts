/** Questions with a page of their own, which the script shows as a dialog of the page that links to them (decision 0325). */
import { classOf, linkButton, submitButton } from "./button.ts";
import { bareCard, pageHead } from "./card.ts";
import { csrfField } from "./form.ts";
import { type Html, html } from "./html.ts";
import { type IconName, icon } from "./icon.ts";

/** A question before something is done: `text` names what will be lost; both buttons name their action. */
export type PageQuestion = {
  heading: string;
  text: Html | string;
  /** Where the answer is posted: the address of the question, with the query of the list. */
  action: string;
  csrfToken: string;
  confirm: string;
  keep: string;
  /** The address of the list. */
  back: string;
  /** The action destroys nothing. */
  harmless?: boolean | undefined;
};

/** A link in a row of a list: with script it opens the question as a dialog, without it is a link to the question's page. */
export function questionLink(
  words: string,
  about: string,
  href: string,
  tone: "danger" | undefined = undefined,
): Html {
  return html`<a class="${classOf({ tone, size: "sm" })}" href="${href}" data-ask>${words}<span class="sr"> ${about}</span></a>`;
}

/** The same as an icon only. */
export function questionIcon(name: IconName, label: string, href: string): Html {
  return html`<a class="btn quiet icon sm" href="${href}" data-ask aria-label="${label}">${icon(name, 16)}</a>`;
}

/** The page of a question. */
export function questionMain(question: PageQuestion): Html {
  const { heading, text, action, csrfToken, confirm, keep, back, harmless } = question;
  const tone = harmless ? "primary" : "danger solid";
  return html`${pageHead({ heading })}${bareCard(heading, html`<div class="body"><form method="post" action="${action}" data-asked>${csrfField(csrfToken)}<p class="text-2">${text}</p><div class="btn-row mt-s">${linkButton(keep, back)}${submitButton(confirm, { tone })}</div></form></div>`)}`;
}
