/** Tells caches that the answers of the API are for their caller alone. */
import type { FastifyInstance } from "fastify";

/**
 * Answers stay with the caller, and those to a token in the address are not kept at all, since a cache would hold
 * them by that address (RFC 6750 §2.3, §5.3). A route or a refusal may say it more strictly.
 */
export function keepsAnswersPrivate(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    const { access_token: a, private_token: b } = request.query as Readonly<Record<string, unknown>>;
    reply.header("cache-control", a || b ? "private, no-store" : "private, no-cache");
  });
}
