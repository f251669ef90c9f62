/** Offset pagination with the GitLab v4 API's parameters and headers. */
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "./schema.ts";
import { TOKENS_IN_ADDRESS } from "./tokens-in-address.ts";

export interface PageRequest {
  page: number;
  perPage: number;
}

/** Query parameters of every list, to be spread into its schema. */
export const pageParameters = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 1,
      description: "page number, starting at 1; default: 1",
    }),
  ),
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      clamp: true,
      badValue: "has a value not allowed",
      description: "number of items per page; default: 20; values above 100 are treated as 100",
    }),
  ),
};

/** Returns the page of a validated query. */
export function pageOf(query: { page?: number; per_page?: number }): PageRequest {
  return { page: query.page ?? 1, perPage: query.per_page ?? 20 };
}

/** Returns the limit and the offset of a page. */
export function rowsOf({ page, perPage }: PageRequest): { limit: number; offset: number } {
  return { limit: perPage, offset: (page - 1) * perPage };
}

/** Returns the number of pages, which is 1 for an empty list. */
export function totalPagesOf(total: number, perPage: number): number {
  return Math.max(1, Math.ceil(total / perPage));
}

/** Returns the part of a fully loaded list that is on the page. */
export function onPage<T>(list: readonly T[], page: PageRequest): T[] {
  const { limit, offset } = rowsOf(page);
  return list.slice(offset, offset + limit);
}

/**
 * Sets X-Page, X-Per-Page, X-Next-Page, X-Prev-Page, X-Total, X-Total-Pages and Link (prev, next, first, last), whose addresses
 * keep every other query parameter (reference events A5).
 */
export function setPageHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
  { page, perPage }: PageRequest,
  total: number,
): void {
  const totalPages = totalPagesOf(total, perPage);
  const next = page < totalPages ? page + 1 : undefined;
  const previous = page > 1 ? Math.min(page - 1, totalPages) : undefined;
  const link = (target: number, rel: string) => {
    const url = new URL(request.url, publicUrl);
    // A token in the query must not be repeated in a header that proxies log.
    for (const secret of TOKENS_IN_ADDRESS) url.searchParams.delete(secret);
    url.searchParams.set("page", String(target));
    url.searchParams.set("per_page", String(perPage));
    return `<${url.href}>; rel="${rel}"`;
  };
  const links = [
    previous === undefined ? undefined : link(previous, "prev"),
    next === undefined ? undefined : link(next, "next"),
    link(1, "first"),
    link(totalPages, "last"),
  ];
  reply.headers({
    "x-page": String(page),
    "x-per-page": String(perPage),
    "x-next-page": next === undefined ? "" : String(next),
    "x-prev-page": previous === undefined ? "" : String(previous),
    "x-total": String(total),
    "x-total-pages": String(totalPages),
    link: links.filter((entry) => entry !== undefined).join(", "),
  });
}

/** Sets X-Per-Page, X-Total and, except on the last page, Link rel=next with the cursor and every other query parameter. */
export function setKeysetHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
  { perPage, total, next }: { perPage: number; total: number; next: string | undefined },
): void {
  reply.headers({ "x-per-page": String(perPage), "x-total": String(total) });
  if (next === undefined) return;
  const url = new URL(request.url, publicUrl);
  for (const name of [...TOKENS_IN_ADDRESS, "page"]) url.searchParams.delete(name);
  url.searchParams.set("pagination", "keyset");
  url.searchParams.set("per_page", String(perPage));
  url.searchParams.set("cursor", next);
  reply.header("link", `<${url.href}>; rel="next"`);
}
