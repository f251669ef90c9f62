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

/** Without the blanks around it, its lines as they are kept. */
export function textOf(typed: string): string {
  return typed.replaceAll("\r\n", "\n").trim();
}
