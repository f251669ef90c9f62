/** Reads the large bodies of a route within a room, so that slow senders of many do not fill the memory (decision 0301). */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hasRoom, noRoom, type RoomName, type Share, shareOf } from "./body-room.ts";

/** Bytes of a body that do not count, as on all other routes: ordinary bodies are read while others fill the room. */
export const FREE_BYTES = 1024 * 1024;

/**
 * Returns the `preParsing` hook of a route whose `bodyLimit` is larger than that of others.
 * @throws Problem unavailable: other requests hold too many bytes
 */
export function keepsToRoom(name: RoomName) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: Readable): Promise<Readable> => {
    const { raw, headers } = request;
    const { bodyLimit: limit } = request.routeOptions;
    const declared = Number(headers["content-length"]);
    if (declared <= FREE_BYTES) return payload;
    if (!hasRoom(name, raw, { limit, free: FREE_BYTES })) throw noRoom();
    const chunks = counted(raw, shareOf(name, reply.raw), limit);
    const body = Readable.from(chunks, { objectMode: false });
    // Whoever reads it stops listening once the body is too large, and then the client may hang up.
    body.on("error", () => {});
    return body;
  };
}

async function* counted(raw: IncomingMessage, share: Share, limit: number): AsyncGenerator<Buffer> {
  let read = 0;
  let isFull = false;
  for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const before = Math.max(read, FREE_BYTES);
    read += chunk.length;
    // Beyond the limit nothing is kept.
    isFull = read > before && read <= limit && !share.take(read - before);
    if (isFull) break;
    yield chunk;
  }
  if (!isFull) return;
  // Discards the rest, so that the sender reads the response.
  raw.resume();
  throw noRoom();
}
