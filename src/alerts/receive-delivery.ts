/** Receives an authenticated request: reads it, has it recorded in a batch, and keeps a receipt of what it cannot read. */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { checkSpace } from "../platform/free-space.ts";
import { partsOfMultipart } from "../platform/multipart.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Buckets } from "../platform/rate-limit.ts";
import { checkMediaType, inflate } from "./body.ts";
import { type Outcome, originOf } from "./delivery.ts";
import type { Inbox } from "./inbox.ts";
import { readDelivery } from "./read-delivery.ts";
import { keyHint } from "./receipt.ts";
import type { Reading } from "./report.ts";
import { hasParts } from "./senders/form.ts";
import { insertReceipts } from "./store-history.ts";
import type { Endpoint } from "./store-integrations.ts";
import type { Throttle } from "./throttle.ts";

/** What all requests to the receiver share. */
export interface Receiver {
  platform: Platform;
  inbox: Inbox;
  throttle: Throttle | undefined;
  /** Counts refused keys and signatures by the party that sent them (`partyOf`); requests with valid ones are not counted. */
  refusals: Buckets | undefined;
}

/** A request whose sender is authenticated, and whose body is not yet parsed. */
export interface PresentedRequest {
  endpoint: Endpoint;
  receiptId: string;
  receivedAt: Date;
  /** The authorization key of the request; undefined if a signature authenticated it. */
  key: string | undefined;
  raw: Buffer;
  mediaType: string | undefined;
  /** The headers that its receipt keeps, and under names that begin with a colon what the route adds. */
  headers: Readonly<Record<string, string>>;
  idempotencyKey: string | undefined;
  answer: ServerResponse;
}

/** How many bytes of a refused body its receipt keeps. */
const KEPT_OF_REFUSED_BYTES = 64 * 1024;

const REFUSED_STATUS: Readonly<Record<string, number>> = {
  unsupported: 415,
  unprocessable: 422,
  too_large: 413,
};

/**
 * Returns the reading of a request and the outcome, after the commit.
 * @throws Problem invalid, unsupported, too_large, unprocessable: cannot be read, or another body under the same
 *   Idempotency-Key; unavailable
 */
export async function receiveDelivery(
  { platform, inbox }: Receiver,
  presented: PresentedRequest,
): Promise<{ reading: Reading; outcome: Outcome }> {
  const { endpoint, receiptId, raw, headers } = presented;
  await checkSpace(platform);
  let reading: Reading;
  let body: Buffer;
  try {
    checkMediaType(presented.mediaType, headers["x-amz-sns-message-type"] !== undefined);
    body = await inflate(raw, headers["content-encoding"], { from: "known", answer: presented.answer });
    reading = withAddressee(readDelivery(body, endpoint, presented), endpoint);
  } catch (error) {
    await keepRefusal(platform, presented, error);
    throw error;
  }
  const outcome = await inbox.submit({
    receiptId,
    raw,
    inflatedBytes: body.length,
    headers,
    reading,
    keyHint: keyHint(presented.key ?? ""),
    ...originOf(endpoint),
    ...repeatOf(presented, body, reading),
    ...repeatsWithin(reading),
  });
  if (outcome.isReused) {
    const problem = new Problem(
      "unprocessable",
      "This Idempotency-Key was already used with a different body.",
    );
    await keepRefusal(platform, presented, problem);
    throw problem;
  }
  return { reading, outcome };
}

/** Adds a warning if a plain payload came to a metrics instance; it is accepted all the same (reference alerts A3). */
function withAddressee(reading: Reading, { type }: Endpoint): Reading {
  const isPlain = reading.shape === "generic" && reading.reports.some(({ readAs }) => readAs === undefined);
  return type === "prometheus" && isPlain
    ? { ...reading, warnings: [...reading.warnings, NO_METRICS] }
    : reading;
}

const NO_METRICS =
  "It was sent to a metrics instance, but is not in the format of Alertmanager or Grafana; it was read as a generic payload.";

/**
 * What identifies a repeat of this request: its Idempotency-Key with the inflated body, else the id of the webhook, else the
 * message id.
 */
function repeatOf(
  { endpoint, headers, idempotencyKey }: PresentedRequest,
  body: Buffer,
  { messageId }: Reading,
) {
  const webhookId = endpoint.signature === "standard_webhooks" ? headers["webhook-id"] : undefined;
  if (idempotencyKey !== undefined) {
    return {
      idempotencyHash: sha256(idempotencyKey),
      idempotentBody: digestOf(body, headers["content-type"]),
    };
  }
  if (webhookId !== undefined) return { idempotencyHash: sha256(`\0webhook-id ${webhookId}`) };
  return { idempotencyHash: messageId ? nameHash(messageId) : undefined };
}

/** The digest by which bodies are compared: of a form with parts that of these, since its boundary is a new one each time. */
function digestOf(body: Buffer, mediaType = ""): string {
  // An event that consists of headers alone has no parts, whatever its media type is.
  const isForm = hasParts(mediaType) && body.length > 0;
  const compared = isForm ? Buffer.concat(partsOfMultipart(body, mediaType).map(sha256)) : body;
  return sha256(compared).toString("hex");
}

/** What identifies repeats of single messages: each by its own id, so that it may be repeated alone or among others. */
function repeatsWithin({ reports }: Reading) {
  if (!reports.some(({ messageId }) => messageId)) return {};
  return { reportHashes: reports.map(({ messageId }) => (messageId ? nameHash(messageId) : undefined)) };
}

function nameHash(messageId: string): Buffer {
  return sha256(`\0message ${messageId}`);
}

function sha256(value: string | Buffer): Buffer {
  return createHash("sha256").update(value).digest();
}

/** Stores a receipt of a refused body too, so that the person who set up the sender can see why it was refused. */
async function keepRefusal(platform: Platform, presented: PresentedRequest, error: unknown): Promise<void> {
  // What may be sent again is not refused for good, and has no fault that anybody could mend.
  if (!(error instanceof Problem) || error.kind === "unavailable") return;
  const { endpoint, receiptId, raw, key, headers } = presented;
  // Up to a megabyte must not delay the statements of others on the pipeline.
  await insertReceipts(platform.db.pooled, [
    {
      id: receiptId,
      projectId: endpoint.projectId,
      integrationId: endpoint.id,
      keyHint: keyHint(key ?? ""),
      headers,
      raw: raw.subarray(0, KEPT_OF_REFUSED_BYTES),
      status: REFUSED_STATUS[error.kind] ?? 400,
      decision: "refused",
      warnings: [error.message],
      alertIids: [],
    },
  ]);
}
