/** Reads the query parameters of a page, which may contain anything. */
import type { FastifyRequest } from "fastify";

const LONGEST = 255;

/** Returns the trimmed text of a parameter, cut to 255 characters; empty if it is absent or repeated. */
export function queryText({ query }: Pick<FastifyRequest, "query">, name: string): string {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value.replaceAll("\0", "").trim().slice(0, LONGEST) : "";
}

/** Returns the page number in the parameter of this name, from 1; 1 if it is absent or invalid. */
export function queryPage({ query }: Pick<FastifyRequest, "query">, name = "page"): number {
  const page = (query as Readonly<Record<string, unknown>>)[name];
  return typeof page === "string" && /^\d{1,6}$/.test(page) ? Math.max(1, Number(page)) : 1;
}
