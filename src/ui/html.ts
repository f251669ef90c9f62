/** Builds pages from tagged templates in which every inserted value is escaped unless it was built the same way. */
import { isAddressAttribute, isForbiddenAttribute, type Slot, slotsOf } from "./template.ts";

/** A safe fragment of HTML, which can be inserted into another one; toString() returns the markup. */
export class Html {
  readonly #markup: string;
  constructor(markup: string) {
    this.#markup = markup;
  }
  toString(): string {
    return this.#markup;
  }
}

class Attributes extends Html {}
class TrustedAddress extends Html {}

/** A value for a gap: null, undefined and booleans render nothing, arrays are joined without a separator. */
export type HtmlValue = Html | string | number | bigint | boolean | null | undefined | readonly HtmlValue[];

const known = new WeakMap<readonly string[], Slot[]>();

/**
 * Renders a template; text and attribute values are escaped, addresses are checked by safeHref (decision 0004).
 * @throws TypeError at the first use of a template with a gap where escaping could not hold
 */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let slots = known.get(parts);
  if (slots === undefined) {
    slots = slotsOf(parts);
    known.set(parts, slots);
  }
  let markup = parts[0] ?? "";
  for (let index = 0; index < values.length; index++) {
    markup += fill(slots[index] ?? "text", values[index]) + parts[index + 1];
  }
  return new Html(markup);
}

function fill(slot: Slot, value: HtmlValue): string {
  if (value === null || value === undefined || typeof value === "boolean") return "";
  if (Array.isArray(value)) {
    let joined = "";
    for (const item of value) joined += fill(slot, item);
    return joined;
  }
  switch (slot) {
    case "text":
      return value instanceof Html ? value.toString() : escapeText(String(value));
    case "value":
      return value instanceof Html ? escapeQuotes(value.toString()) : escapeText(String(value));
    case "url":
      return address(value as Html | string);
    case "path":
      return escapeText(String(value).replace(leadingSlashes, "")) || ".";
    case "attributes":
      if (value instanceof Attributes || value === "") return value.toString();
      throw new TypeError("Only attrs() may stand inside a tag.");
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop these, so "/\t/host" would name a host
const leadingSlashes = /^[\s\u0000-\u001f/\\]+/;

function address(value: Html | string): string {
  if (value instanceof TrustedAddress) return value.toString();
  if (value instanceof Html) return escapeQuotes(safeHref(value.toString()));
  return escapeText(safeHref(String(value)));
}

const special = /[&<>"']/;
const specials = /[&<>"']/g;
const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return special.test(text) ? text.replace(specials, (char) => entities[char] ?? "") : text;
}

// Markup inserted into an attribute is escaped already, except for its own tags and quotes.
function escapeQuotes(markup: string): string {
  return special.test(markup) ? markup.replace(/[<>"']/g, (char) => entities[char] ?? "") : markup;
}

/** Trusts the markup: for our own constants only, never for anything from outside. */
export function raw(markup: string): Html {
  return new Html(markup);
}

/**
 * Attributes for a gap inside a tag: true renders the bare name; false, null and undefined leave the attribute out.
 * Example: html`<input ${attrs({ checked: on, "aria-describedby": hintId })}>`
 * @throws TypeError for names that the page policy blocks (event handlers, style)
 */
export function attrs(all: Record<string, string | number | boolean | null | undefined>): Html {
  const written: string[] = [];
  for (const [name, value] of Object.entries(all)) {
    if (value === false || value === null || value === undefined) continue;
    if (!/^[a-z][a-z0-9:-]*$/.test(name) || isForbiddenAttribute(name)) {
      throw new TypeError(`The attribute ${name} may not be set.`);
    }
    if (value === true) written.push(name);
    else
      written.push(
        `${name}="${isAddressAttribute(name) ? address(String(value)) : escapeText(String(value))}"`,
      );
  }
  return new Attributes(written.length === 0 ? "" : ` ${written.join(" ")}`);
}

/**
 * Returns the address if it is http, https, mailto or a path on this site, else "#"; `html` applies it automatically to href,
 * src, action and formaction.
 */
export function safeHref(url: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop these before they read the scheme
  if (/[\u0000-\u001f\u007f\\]/.test(url) || /^\s/.test(url)) return "#";
  if (/^(?:https?:\/\/[^/]|mailto:)/i.test(url)) return url;
  if (url.startsWith("//")) return "#";
  return /^[^/?#]*:/.test(url) ? "#" : url;
}

/**
 * Allows an address with any scheme except those that run script or contain a page (`tidewatch://signed-in`): only for a
 * registered and matched redirect URI. Must be the whole value of an href.
 */
export function redirectHref(url: string): Html {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop these before they read the scheme
  const bare = url.replace(/[\u0000-\u0020]/g, "").toLowerCase();
  const scheme = /^([a-z][a-z0-9+.-]*):/.exec(bare)?.[1];
  const runs = scheme === undefined || ["javascript", "data", "vbscript", "blob", "file"].includes(scheme);
  return new TrustedAddress(runs ? "#" : escapeText(url));
}
