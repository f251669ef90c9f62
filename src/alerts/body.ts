/** Reads the body of a delivery from its stream: at most so many bytes, inflated if it was sent compressed. */
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Problem } from "../platform/problem.ts";
import { GENERIC_LIMIT_BYTES, GROUP_LIMIT_BYTES, tooLarge } from "./read-delivery.ts";

/** Senders read an answer only after they have sent all, so that much more is read and thrown away. */
const DRAIN_BYTES = 32 * 1024 * 1024;

/**
 * All bytes of a request.
 * @throws Problem too_large: more than `limit`; invalid: it ended too early
 */
export async function readBody(message: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (total > DRAIN_BYTES) break;
    }
  } catch {
    throw new Problem("invalid", "The body ended before it was complete.");
  }
  if (total > limit) throw tooLarge();
  return Buffer.concat(chunks, total);
}

/**
 * Reads the body of whoever may not come in to its end, so that the sender gets to read why, and keeps at most its
 * first MiB, to tell whether the larger limit of groups of alerts is its own.
 * @throws Problem too_large: size is judged before the key (contract-alerts, order of refusal; decision 0088)
 */
export async function checkSizeOfRefused(message: IncomingMessage): Promise<void> {
  const kept: Buffer[] = [];
  let total = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      if (total < GENERIC_LIMIT_BYTES) kept.push(chunk);
      total += chunk.length;
      if (total > DRAIN_BYTES) break;
    }
  } catch {
    return;
  }
  if (total <= GENERIC_LIMIT_BYTES) return;
  const start = Buffer.concat(kept);
  const looksLikeGroup = start.includes('"alerts"') || start.includes('"groupKey"');
  if (total > GROUP_LIMIT_BYTES || !looksLikeGroup) throw tooLarge();
}

/**
 * The body as it was before a `Content-Encoding`.
 * @throws Problem unsupported: an encoding other than gzip; too_large once inflated; invalid: broken gzip
 */
export async function inflate(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  const name = (encoding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return body;
  if (name !== "gzip" && name !== "x-gzip") {
    throw new Problem("unsupported", "415 Unsupported Media Type: a Content-Encoding other than gzip.");
  }
  try {
    return await inflateGzip(body, { maxOutputLength: GROUP_LIMIT_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new Problem("invalid", "The body is not valid gzip.");
  }
}

const inflateGzip = promisify(gunzip) as (
  body: Buffer,
  options: { maxOutputLength: number },
) => Promise<Buffer>;

/**
 * Lets JSON through, by whatever name, and what names no type at all.
 * @throws Problem unsupported
 */
export function checkMediaType(contentType: string | undefined, isNotification: boolean): void {
  if (contentType === undefined || contentType.trim() === "") return;
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  const isJson = /^(application|text)\/([\w.!#$&^+-]+\+)?json$/.test(type);
  // Amazon SNS sends its JSON as text/plain and says so in a header of its own.
  if (!isJson && !(isNotification && type === "text/plain")) {
    throw new Problem("unsupported", "415 Unsupported Media Type: send application/json.");
  }
  const charset = parameters
    .find((parameter) => parameter.startsWith("charset="))
    ?.slice(8)
    .replaceAll('"', "");
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8" && charset !== "us-ascii") {
    throw new Problem("unsupported", "415 Unsupported Media Type: send UTF-8.");
  }
}
