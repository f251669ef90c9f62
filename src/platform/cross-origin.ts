/** Lets pages of any origin read responses, without credentials (contract §4, CORS). */
import type { FastifyInstance } from "fastify";
import { asksToDeliver } from "./event-handshake.ts";

const EXPOSED =
  "Link, X-Total, X-Total-Pages, X-Page, X-Per-Page, X-Next-Page, X-Prev-Page, X-Next-Since, X-Poll-Interval, X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, WWW-Authenticate, ETag";

/**
 * Adds `Access-Control-Allow-Origin: *` to every response of these routes and answers their preflights, except requests for the
 * leave to deliver events.
 */
export function allowsAnyOrigin(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ "access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED });
    if (request.method !== "OPTIONS") return;
    if (request.routeOptions.config.takesEvents && asksToDeliver(request)) return;
    reply.headers({
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
      "access-control-allow-headers":
        request.headers["access-control-request-headers"] ?? "Authorization, Content-Type",
      "access-control-max-age": "7200",
    });
    // Like GitLab; some browsers of old devices refuse a 204 (reference oauth A1).
    return reply.code(200).send();
  });
}
