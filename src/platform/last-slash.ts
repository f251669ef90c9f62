/** Redirects the address of a page with a slash at its end to the page. */
import type { FastifyInstance } from "fastify";

/** A path of this site with one slash too many; a doubled one, or one that leans back, could lead elsewhere (RFC 9700 §4.11). */
const ONE_TOO_MANY = /^((?:\/[^/\\\p{Cc}]+)+)\/$/u;

/** These are led to the group itself, which has another address (`projects/pages-group-settings.ts`). */
const GROUP = /^\/groups\/(?!.*\/-\/)./;

/**
 * Sends readers of `/profile/` to `/profile`; the query stays (decision 0007). Before the doors, some of which would take the
 * slash for an empty name.
 */
export function leavesOutLastSlash(pages: FastifyInstance): void {
  pages.addHook("onRequest", async (request, reply) => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const [path = "", ...query] = request.url.split("?");
    const [, page] = (!GROUP.test(path) && ONE_TOO_MANY.exec(path)) || [];
    return page === undefined ? undefined : reply.redirect([page, ...query].join("?"), 301);
  });
}
