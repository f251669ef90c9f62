/** Reads the body of a delivery from its stream, up to a size limit, and inflates it if it was sent compressed. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { hasRoom, noRoom, type RoomName, shareOf } from "../platform/body-room.ts";
import { createInflater } from "../platform/inflate-gzip.ts";
import { Problem } from "../platform/problem.ts";
import { GENERIC_LIMIT_BYTES, GROUP_LIMIT_BYTES, tooLarge } from "./body-limits.ts";
import { isJsonLines } from "./json-lines.ts";
import { isForm, ONLY_JSON } from "./senders/form.ts";

/** Many senders read a response only after they have sent the whole body, so up to this much is read before responding. */
const DRAIN_BYTES = 32 * 1024 * 1024;

/** The request from which a body is read, and its response: the bytes of the body are released when the response ends. */
export interface Exchange {
  raw: IncomingMessage;
  answer: ServerResponse;
}

/**
 * Reads the whole body of a request.
 * @throws Problem too_large: more than `limit`; unavailable: other requests hold too many bytes; invalid: it ended early
 */
export async function readBody(exchange: Exchange, limit: number, room: RoomName): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const total = await readChunks(exchange, { limit, room }, chunks);
  if (total > limit) throw tooLarge();
  return Buffer.concat(chunks, total);
}

/**
 * Reads the body of a refused request to its end, so that the sender reads the response, and keeps at most its first MiB, to
 * see whether the larger limit of groups of alerts applies to it; it always does at an address that `takesGroups`.
 * @throws Problem too_large: the size is checked before the key (contract-alerts, order of refusal; decision 0088);
 *   unavailable: other requests hold too many bytes
 */
export async function checkSizeOfRefused(exchange: Exchange, { takesGroups = false } = {}): Promise<void> {
  const kept: Buffer[] = [];
  let total: number;
  try {
    const limit = GENERIC_LIMIT_BYTES;
    total = await readChunks(exchange, { limit, room: "strangers", keepsStart: true }, kept);
  } catch (refusal) {
    if (refusal instanceof Problem && refusal.kind === "unavailable") throw refusal;
    return;
  }
  if (total <= GENERIC_LIMIT_BYTES) return;
  const start = Buffer.concat(kept);
  const mayBeLarger =
    takesGroups || start.includes('"alerts"') || start.includes('"groupKey"') || start.includes('"labels"');
  if (total > GROUP_LIMIT_BYTES || !mayBeLarger) throw tooLarge();
}

interface Keeping {
  limit: number;
  room: RoomName;
  /** Keeps what was read before the limit was exceeded, instead of nothing. */
  keepsStart?: boolean;
}

/** Reads to the end and keeps chunks up to the limit; returns the total number of bytes. */
async function readChunks(
  { raw, answer }: Exchange,
  { limit, room, keepsStart = false }: Keeping,
  chunks: Buffer[],
): Promise<number> {
  if (!hasRoom(room, raw, { limit })) throw discardRest(raw);
  const share = shareOf(room, answer);
  let total = 0;
  let isFull = false;
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const isKept = keepsStart ? total < limit : total + chunk.length <= limit;
      total += chunk.length;
      isFull = isKept && !share.take(chunk.length);
      if (isFull || total > DRAIN_BYTES) break;
      if (isKept) chunks.push(chunk);
      else if (!keepsStart) {
        chunks.length = 0;
        share.giveBack();
      }
    }
  } catch {
    throw new Problem("invalid", "The body ended before it was complete.");
  }
  // A sender sees no response on a connection that was cut; the request timeout also bounds this (decision 0006).
  if (total > DRAIN_BYTES) raw.resume();
  if (!isFull) return total;
  chunks.length = 0;
  share.giveBack();
  throw discardRest(raw);
}

/** Discards the rest of the body, so that the sender reads the response, and returns the refusal. */
function discardRest(raw: IncomingMessage): Problem {
  raw.resume();
  return noRoom();
}

/** Whoever shows no key delays nobody who does, and what was received before delays nothing that is being received. */
const inflaters = { known: createInflater(), strangers: createInflater(), receipts: createInflater() };

/** The request whose body is inflated; none: the body is that of a receipt. */
export interface Sent {
  from: "known" | "strangers";
  answer: ServerResponse;
  /** In bytes; `GROUP_LIMIT_BYTES` unless given. */
  limit?: number;
}

/**
 * Undoes the `Content-Encoding` of a body.
 * @throws Problem unsupported: an encoding other than gzip; too_large once inflated; invalid: broken gzip; unavailable: too
 *   many others wait, or the client has disconnected
 */
export async function inflate(body: Buffer, encoding: string | undefined, sent?: Sent): Promise<Buffer> {
  const name = (encoding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return body;
  if (name !== "gzip" && name !== "x-gzip") {
    throw new Problem("unsupported", "415 Unsupported Media Type: a Content-Encoding other than gzip.");
  }
  const broken = () => new Problem("invalid", "The body is not valid gzip.");
  const { from = "receipts", answer, limit: most = GROUP_LIMIT_BYTES } = sent ?? {};
  return inflaters[from](body, { most, answer, tooLarge, broken });
}

/**
 * Accepts JSON by any of its media types, JSON lines, forms, and a missing media type.
 * @throws Problem unsupported
 */
export function checkMediaType(contentType: string | undefined, isNotification: boolean): void {
  // Forms are checked by their content.
  if (isForm(contentType)) return;
  const isLines = isJsonLines(contentType);
  if (contentType === undefined || contentType.trim() === "") return;
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  const isJson = /^(application|text)\/([\w.!#$&^+-]+\+)?json$/.test(type);
  // Amazon SNS sends its JSON as text/plain, with a header that identifies it.
  if (!isJson && !isLines && !(isNotification && type === "text/plain")) {
    throw new Problem("unsupported", ONLY_JSON);
  }
  const charset = parameters
    .find((parameter) => parameter.startsWith("charset="))
    ?.slice(8)
    .replaceAll('"', "");
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8" && charset !== "us-ascii") {
    throw new Problem("unsupported", "415 Unsupported Media Type: send UTF-8.");
  }
}
