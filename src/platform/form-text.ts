/** Reads single values from a posted form, which may contain anything. */
import type { FastifyRequest } from "fastify";

/** Returns the text of a field; empty if it is absent or repeated. */
export function formText(request: FastifyRequest, name: string): string {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === "string" ? value : "";
}

/** Returns the values of the ticked checkboxes of one name. */
export function formList(request: FastifyRequest, name: string): string[] {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Trims the text and normalises its line breaks as they are stored. */
export function textOf(typed: string): string {
  return typed.replaceAll("\r\n", "\n").trim();
}
