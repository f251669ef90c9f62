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
export function changedIn<Typed extends object>(
  typed: Typed,
  shown: Readonly<Record<string, string>>,
): Partial<Typed> {
  const changed = Object.entries(typed).filter(([name, value]) => value !== shown[name]);
  return Object.fromEntries(changed) as Partial<Typed>;
}

/** Without the blanks around it, its lines as they are kept. */
export function textOf(typed: string): string {
  return typed.replaceAll("\r\n", "\n").trim();
}
