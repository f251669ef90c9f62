/** Answers OPTIONS requests that ask whether CloudEvents may be delivered here (HTTP 1.1 Web Hooks for CloudEvents §4). */
import type { FastifyReply, FastifyRequest } from "fastify";

/** Whether the request is this handshake, and not the CORS preflight of a browser. */
export function asksToDeliver({ method, headers }: FastifyRequest): boolean {
  return method === "OPTIONS" && headers["webhook-request-origin"] !== undefined;
}

/**
 * Allows deliveries at this rate; Azure Event Grid sends none otherwise. This grants no access: each delivery is still
 * authenticated. The database is not asked, so the response does not reveal what exists.
 */
export function allowEvents(request: FastifyRequest, reply: FastifyReply, perMinute: number): FastifyReply {
  const allowed = { "webhook-allowed-origin": "*", "webhook-allowed-rate": String(perMinute) };
  return reply
    .code(200)
    .headers({ allow: "POST, OPTIONS", ...(asksToDeliver(request) ? allowed : {}) })
    .send();
}
