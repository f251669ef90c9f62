/** Redirects the address of a page with a trailing slash to the page. */
import type { FastifyInstance } from "fastify";

/**
 * A path of this site with a trailing slash. Doubled slashes and backslashes are excluded, since they could lead to another site
 * (RFC 9700 §4.11).
 */
const ONE_TOO_MANY = /^((?:\/[^/\\\p{Cc}]+)+)\/$/u;

/** These are redirected to the group's page, which has another address (`projects/pages-group-settings.ts`). */
const GROUP = /^\/groups\/(?!.*\/-\/)./;

/**
 * Redirects `/profile/` to `/profile` and keeps the query (decision 0007). Must be registered before the routes, some of which
 * would read the slash as an empty name.
 */
export function leavesOutLastSlash(pages: FastifyInstance): void {
  pages.addHook("onRequest", async (request, reply) => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const [path = "", ...query] = request.url.split("?");
    const [, page] = (!GROUP.test(path) && ONE_TOO_MANY.exec(path)) || [];
    return page === undefined ? undefined : reply.redirect([page, ...query].join("?"), 301);
  });
}
