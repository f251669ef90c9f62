/** Tells caches that the answers of the API are for their caller alone. */
import type { FastifyInstance } from "fastify";
import { tokensInAddress } from "./tokens-in-address.ts";

/**
 * Answers stay with the caller, and those to a token in the address are not kept at all, since a cache would hold
 * them by that address (RFC 6750 §2.3, §5.3). A route or a refusal may say it more strictly.
 */
export function keepsAnswersPrivate(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    const inAddress = tokensInAddress(request.query).some(Boolean);
    reply.header("cache-control", inAddress ? "private, no-store" : "private, no-cache");
  });
}
