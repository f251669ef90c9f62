/** Reads single values out of a posted page form, whatever a stranger put there. */
import type { FastifyRequest } from "fastify";

/** The field's text; empty when it is absent or stands twice. */
export function formText(request: FastifyRequest, name: string): string {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === "string" ? value : "";
}

/** The values of boxes of one name, ticked or not. */
export function formList(request: FastifyRequest, name: string): string[] {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** What the names of fields begin with that repeat, unseen, what the page showed (decision 0246). */
export const SHOWN_FIELD = "shown_";

/** What the page of a form showed under these names; nothing of what the form does not say. */
export function shownIn(request: FastifyRequest, names: readonly string[]): Readonly<Record<string, string>> {
  const said = names.filter((name) => formList(request, SHOWN_FIELD + name).length > 0);
  return Object.fromEntries(said.map((name) => [name, textOf(formText(request, SHOWN_FIELD + name))]));
}

/** What was typed and is not what was shown; what its sender left may be something else by now. */
export function changedIn<Typed extends object>(typed: Typed, shown: Shown): Partial<Typed> {
  const were = new Map(Object.entries(shown).map(([name, value]) => [name, JSON.stringify(value)]));
  const changed = Object.entries(typed).filter(([name, value]) => JSON.stringify(value) !== were.get(name));
  return Object.fromEntries(changed) as Partial<Typed>;
}

/** The field in which a form repeats, unseen, all that its page showed, where not all of it is text: as JSON. */
export const SHOWN_WHOLE = `${SHOWN_FIELD}whole`;

/** By the name of what the form changes. */
export type Shown = Readonly<Record<string, unknown>>;

/** All that the page of a form showed; nothing where the form does not say it. */
export function shownWholeIn(request: FastifyRequest): Shown {
  try {
    const shown: unknown = JSON.parse(formText(request, SHOWN_WHOLE));
    return typeof shown === "object" && shown !== null ? { ...shown } : {};
  } catch {
    return {};
  }
}

/** Without the blanks around it, its lines as they are kept. */
export function textOf(typed: string): string {
  return typed.replaceAll("\r\n", "\n").trim();
}
