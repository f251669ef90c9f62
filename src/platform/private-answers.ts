/** Tells caches that responses of the API are for their caller alone. */
import type { FastifyInstance } from "fastify";
import { tokensInAddress } from "./tokens-in-address.ts";

/**
 * Marks responses as private, and those to a token in the address as not to be stored, since a cache would find them by that
 * address (RFC 6750 §2.3, §5.3). A route or a refusal may be stricter.
 */
export function keepsAnswersPrivate(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    const inAddress = tokensInAddress(request.query).some(Boolean);
    reply.header("cache-control", inAddress ? "private, no-store" : "private, no-cache");
  });
}
