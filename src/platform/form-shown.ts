/** The values that a form's page showed, so that submitting it changes only what the user edited (decision 0246). */
import type { FastifyRequest } from "fastify";
import { formText, textOf } from "./form-text.ts";
import { parseJson } from "./http.ts";
import { isObject } from "./json-object.ts";

/** The hidden field with the values that the form showed, as JSON. */
export const SHOWN_FIELD = "shown";

/** Values by the name of what the form changes. */
export type Shown = Readonly<Record<string, unknown>>;

/** Reads the hidden field; returns nothing if it is missing, such as in a form that a program sends, or malformed. */
export function shownIn(request: FastifyRequest): Shown {
  try {
    const shown = parseJson(Buffer.from(formText(request, SHOWN_FIELD)));
    return isObject(shown) ? shown : {};
  } catch {
    return {};
  }
}

/** Returns the typed values that differ from those shown. The others may have been changed by somebody else meanwhile. */
export function changedIn<Typed extends object>(typed: Typed, shown: Shown): Partial<Typed> {
  const were = new Map(Object.entries(shown).map(([name, value]) => [name, written(value)]));
  const changed = Object.entries(typed).filter(([name, value]) => written(value) !== were.get(name));
  return Object.fromEntries(changed) as Partial<Typed>;
}

/** The value in the form in which a browser would send it back. */
function written(value: unknown): string | undefined {
  return JSON.stringify(typeof value === "string" ? textOf(value) : value);
}
