/** Buttons, and links that look like buttons. */
import { attrs, type Html, html } from "./html.ts";
import { type IconName, icon } from "./icon.ts";

/** The look of a button. */
export type ButtonLook = {
  tone?: "primary" | "danger" | "danger solid" | "quiet" | undefined;
  size?: "sm" | "lg" | "lg block" | undefined;
  icon?: IconName | undefined;
  /** The shortcut that presses it, as in docs/keyboard.md. */
  key?: string;
};

/** A button that submits its form; name and value tell the server which one was pressed. */
export function submitButton(
  words: string | Html,
  look: ButtonLook & { name?: string; value?: string; formaction?: string; form?: string } = {},
): Html {
  const { name, value, formaction, form, key } = look;
  return html`<button class="${classOf(look)}" type="submit"${attrs({ name, value, formaction, form, "data-key": key })}>${inside(words, look)}</button>`;
}

/**
 * Stands first in a form of several actions, so that Enter on a checkbox presses none of them (HTML, implicit submission): it sends
 * no value. A disabled button would not do, since browsers differ in whether the next one takes its place.
 */
export function noAction(name: string): Html {
  return html`<button type="submit" hidden name="${name}" value=""></button>`;
}

/**
 * Stands before the buttons of a form that are outside it and above its fields, so that Enter in a field does what the form is for
 * (HTML, implicit submission).
 */
export function mainAction(form: string): Html {
  return html`<button hidden type="submit"${attrs({ form })}></button>`;
}

/** A link that looks like a button. */
export function linkButton(words: string | Html, href: string, look: ButtonLook = {}): Html {
  return html`<a class="${classOf(look)}" href="${href}"${attrs({ "data-key": look.key })}>${inside(words, look)}</a>`;
}

/** A link with an icon only; the label names action and thing ("Edit Dockyard CI"). */
export function iconLink(name: IconName, label: string, href: string): Html {
  return html`<a class="btn quiet icon sm" href="${href}" aria-label="${label}">${icon(name, 16)}</a>`;
}

/** Buttons in a row; false ones are left out. */
export function buttonRow(buttons: readonly (Html | false | undefined)[], full = false): Html {
  return html`<div class="btn-row${full ? " full" : ""}">${buttons}</div>`;
}

/** The class list of a look, for buttons built in other rooms. */
export function classOf(look: ButtonLook): string {
  return ["btn", look.tone, look.size].filter((part) => part !== undefined).join(" ");
}

function inside(words: string | Html, look: ButtonLook): Html {
  return html`${look.icon && icon(look.icon, look.size?.startsWith("lg") ? 18 : 16)}${words}`;
}
