/** Answers 304 without having read the resource, which costs only part of a request in the rate limit (decision 0200). */
import type { FastifyReply } from "fastify";

const unread = new WeakSet<FastifyReply>();

/** Sends 304 on a route that decided by the tag alone; one that had to read and compare sends its own. */
export function sendUnread(reply: FastifyReply): FastifyReply {
  unread.add(reply);
  return reply.code(304).send();
}

/** Whether the response was sent by `sendUnread`. */
export function wasUnread(reply: FastifyReply): boolean {
  return unread.has(reply);
}
