/** Answers 304 without having read the resource, which counts as a part of a request only (decision 0200). */
import type { FastifyReply } from "fastify";

const unread = new WeakSet<FastifyReply>();

/** 304, for a door that knew it from a tag alone; one that had to read and compare sends its own. */
export function sendUnread(reply: FastifyReply): FastifyReply {
  unread.add(reply);
  return reply.code(304).send();
}

/** Whether it was answered so. */
export function wasUnread(reply: FastifyReply): boolean {
  return unread.has(reply);
}
