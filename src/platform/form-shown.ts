/** What the page of a form showed, so that a form changes nothing but what was changed in it (decision 0246). */
import type { FastifyRequest } from "fastify";
import { formText, textOf } from "./form-text.ts";
import { parseJson } from "./http.ts";
import { isObject } from "./json-object.ts";

/** The field in which a form repeats it, unseen, as JSON. */
export const SHOWN_FIELD = "shown";

/** By the name of what the form changes. */
export type Shown = Readonly<Record<string, unknown>>;

/** Nothing where the form does not say it, as one that a program sends, or says what no page shows. */
export function shownIn(request: FastifyRequest): Shown {
  try {
    const shown = parseJson(Buffer.from(formText(request, SHOWN_FIELD)));
    return isObject(shown) ? shown : {};
  } catch {
    return {};
  }
}

/** What was typed and is not what was shown; what its sender left may be something else by now. */
export function changedIn<Typed extends object>(typed: Typed, shown: Shown): Partial<Typed> {
  const were = new Map(Object.entries(shown).map(([name, value]) => [name, written(value)]));
  const changed = Object.entries(typed).filter(([name, value]) => written(value) !== were.get(name));
  return Object.fromEntries(changed) as Partial<Typed>;
}

/** As a form would send it back. */
function written(value: unknown): string | undefined {
  return JSON.stringify(typeof value === "string" ? textOf(value) : value);
}
