/** Reads the query parameters of a page, which may contain anything. */
import type { FastifyRequest } from "fastify";

const LONGEST = 255;

/** Returns the trimmed text of a parameter, cut to 255 characters; empty if it is absent or repeated. */
export function queryText({ query }: Pick<FastifyRequest, "query">, name: string): string {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value.replaceAll("\0", "").trim().slice(0, LONGEST) : "";
}

/** Which parameters a list reads: texts such as filters, and page numbers. */
interface ListParameters {
  texts?: readonly string[];
  pages?: readonly string[];
}

/**
 * Returns the query of a list's address, `?search=ada&page=2` or "". The addresses of its rows' forms end in it, and the redirect
 * after them too, so that they lead back to where the row was (decision 0319). It is made of what the list reads, never copied.
 */
export function listQuery(
  request: Pick<FastifyRequest, "query">,
  { texts = [], pages = ["page"] }: ListParameters = {},
): string {
  const query = new URLSearchParams();
  for (const name of texts) {
    const text = queryText(request, name);
    if (text !== "") query.set(name, text);
  }
  for (const name of pages) {
    const page = queryPage(request, name);
    if (page > 1) query.set(name, String(page));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns the page number in the parameter of this name, from 1; 1 if it is absent or invalid. */
export function queryPage({ query }: Pick<FastifyRequest, "query">, name = "page"): number {
  const page = (query as Readonly<Record<string, unknown>>)[name];
  return typeof page === "string" && /^\d{1,6}$/.test(page) ? Math.max(1, Number(page)) : 1;
}
