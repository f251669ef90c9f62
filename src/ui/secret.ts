/** Values to copy: secrets, addresses, keys, commands and payloads. */
import { cutText } from "../platform/cut-text.ts";
import { wholeNumber } from "./count.ts";
import { attrs, type Html, html } from "./html.ts";
import { icon } from "./icon.ts";
import { indentedJson } from "./indented-json.ts";

/** A value with a copy button; `masked` hides it behind a reveal button. */
export type Secret = {
  id: string;
  label: string;
  value: string;
  masked?: boolean;
  badge?: Html;
  hint?: Html | string | undefined;
};

/** A labelled value to copy; `full` spans both columns of a form. */
export function secretField(secret: Secret, full = false): Html {
  const { id, label } = secret;
  return html`<div class="field${full ? " full" : ""}"><span class="label" id="${id}-label">${label}${secret.badge && html` ${secret.badge}`}</span>${secretBox(secret)}${secret.hint && html`<p class="hint">${secret.hint}</p>`}</div>`;
}

function secretBox({ id, label, value, masked }: Secret): Html {
  const shown = masked ? maskOf(value) : value;
  const reveal =
    masked &&
    html`<button class="btn js" type="button" data-reveal="${id}" aria-pressed="false" aria-label="Reveal ${lower(label)}">${icon("eye", 16)}</button>`;
  // Without the script nothing can be revealed, so the value is in a collapsed element instead.
  const plain =
    masked &&
    html`<noscript><details class="more"><summary>Show ${lower(label)}</summary><code class="wrap-any">${value}</code></details></noscript>`;
  return html`<div class="secret"><code${attrs({ id, "aria-labelledby": `${id}-label`, "data-value": value })}>${shown}</code>${reveal}${copyButton(id, label)}</div>${plain}`;
}

/**
 * Copies the text or value of the element with this id; shown only if scripts run. `fill` replaces a word of it by the value of
 * another element, so that the page contains a secret only once.
 */
export function copyButton(id: string, what: string, fill?: { word: string; from: string }): Html {
  return html`<button class="btn js" type="button" data-copy="${id}"${attrs({ "data-fill": fill?.from, "data-fill-word": fill?.word })}>${icon("copy", 16)}<span>Copy</span><span class="sr"> ${lower(what)}</span></button>`;
}

/**
 * Saves the texts of these elements as a file, one below the other. Made by the script, so that the server need not send the
 * secret again; shown only if scripts run.
 */
export function saveButton(ids: readonly string[], file: string, what: string): Html {
  return html`<button class="btn js" type="button" data-save="${ids.join(" ")}" data-file="${file}"><span>Download</span><span class="sr"> ${lower(what)}</span></button>`;
}

/** Prints the page; shown only if scripts run. */
export function printButton(what: string): Html {
  return html`<button class="btn js" type="button" data-print><span>Print</span><span class="sr"> ${lower(what)}</span></button>`;
}

/** Replaces all but the last five characters by dots; a prefix up to the first underscore stays readable. */
export function maskOf(value: string): string {
  const prefix = /^[a-z]{2,5}_/.exec(value)?.[0] ?? "";
  const hidden = Math.max(0, value.length - prefix.length - 5);
  return (
    prefix + "•".repeat(hidden) + (hidden > 0 ? value.slice(-5) : "•".repeat(value.length - prefix.length))
  );
}

/** Text in code type, in a scrollable region that is focusable. */
export function codeBlock(id: string, label: string, text: string | Html): Html {
  return html`<pre class="code" id="${id}" role="group" tabindex="0" aria-label="${label}">${text}</pre>`;
}

/** Longer text is not coloured: it would slow the browser down. */
const COLOURED_LENGTH = 50_000;

/** How much of a JSON value a page shows, in UTF-16 units: anybody may have sent it, and every visitor of the page loads it. */
const MAX_SHOWN = 256 * 1024;

/** A JSON value, as `jsonTextBlock` shows it. */
export function jsonBlock(id: string, label: string, value: unknown): Html {
  return jsonTextBlock(id, label, JSON.stringify(value) ?? "null");
}

/**
 * Valid JSON, indented, with keys and strings coloured. What is too long with indentation is shown as it is, and of what is too
 * long even so only the beginning.
 */
export function jsonTextBlock(id: string, label: string, json: string): Html {
  const indented = indentedJson(json, MAX_SHOWN);
  const text = indented ?? cutText(json, MAX_SHOWN);
  const isCut = indented === undefined && text.length < json.length;
  const cut = isCut && html`<p class="sub">The first ${wholeNumber(text.length)} characters are shown.</p>`;
  return html`${codeBlock(id, label, text.length > COLOURED_LENGTH ? text : coloured(text))}${cut}`;
}

function coloured(text: string): Html {
  const pieces: (Html | string)[] = [];
  let from = 0;
  for (const found of text.matchAll(/"(?:[^"\\]|\\.)*"(:?)/g)) {
    const string = found[1] === ":" ? found[0].slice(0, -1) : found[0];
    pieces.push(
      text.slice(from, found.index),
      html`<span class="${found[1] === ":" ? "k" : "s"}">${string}</span>`,
    );
    from = found.index + string.length;
  }
  return html`${pieces}${text.slice(from)}`;
}

function lower(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}
