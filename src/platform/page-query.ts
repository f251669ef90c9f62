/** Reads what the address of a page asks for, whatever a stranger put there. */
import type { FastifyRequest } from "fastify";

const LONGEST = 255;

/** The trimmed text of a parameter, cut to 255 characters; empty when it is absent or stands twice. */
export function queryText({ query }: Pick<FastifyRequest, "query">, name: string): string {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value.replaceAll("\0", "").trim().slice(0, LONGEST) : "";
}

/** The page of a list, from 1, by the parameter of this name; the first where none is said that could be one. */
export function queryPage({ query }: Pick<FastifyRequest, "query">, name = "page"): number {
  const page = (query as Readonly<Record<string, unknown>>)[name];
  return typeof page === "string" && /^\d{1,6}$/.test(page) ? Math.max(1, Number(page)) : 1;
}
