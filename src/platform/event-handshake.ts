/** Answers those who ask by OPTIONS whether they may send CloudEvents (HTTP 1.1 Web Hooks for CloudEvents §4). */
import type { FastifyReply, FastifyRequest } from "fastify";

/** Whether somebody asks that, and not a browser what a page may send. */
export function asksToDeliver({ method, headers }: FastifyRequest): boolean {
  return method === "OPTIONS" && headers["webhook-request-origin"] !== undefined;
}

/**
 * Whoever asks is told that events are wanted, so many a minute; Azure Event Grid sends none otherwise. It is no leave to
 * deliver: each delivery still proves whose it is. Nothing is asked of the database, so that it says nothing of what exists.
 */
export function allowEvents(request: FastifyRequest, reply: FastifyReply, perMinute: number): FastifyReply {
  const allowed = { "webhook-allowed-origin": "*", "webhook-allowed-rate": String(perMinute) };
  return reply
    .code(200)
    .headers({ allow: "POST, OPTIONS", ...(asksToDeliver(request) ? allowed : {}) })
    .send();
}
