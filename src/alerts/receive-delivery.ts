/** Takes an authenticated request in: reads it, has it recorded with others, and keeps what it cannot read. */
import { createHash } from "node:crypto";
import { checkSpace } from "../platform/free-space.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Buckets } from "../platform/rate-limit.ts";
import { checkMediaType, inflate } from "./body.ts";
import { type Outcome, originOf } from "./delivery.ts";
import type { Inbox } from "./inbox.ts";
import { readDelivery } from "./read-delivery.ts";
import { keyHint } from "./receipt.ts";
import type { Reading } from "./report.ts";
import { insertReceipts } from "./store-history.ts";
import type { Endpoint } from "./store-integrations.ts";
import type { Throttle } from "./throttle.ts";

/** What a receiver shares between its requests. */
export interface Receiver {
  platform: Platform;
  inbox: Inbox;
  throttle: Throttle | undefined;
  /** Refused keys and signatures by the party that showed them; those that fit are never looked up here. */
  refusals: Buckets | undefined;
}

/** A request whose sender is proven, and whose body nobody has read. */
export interface PresentedRequest {
  endpoint: Endpoint;
  receiptId: string;
  receivedAt: Date;
  /** The authorization key that it showed; undefined where a signature stood for it. */
  key: string | undefined;
  raw: Buffer;
  mediaType: string | undefined;
  /** Those headers that help to understand it, and under names with a colon what the door says. */
  headers: Readonly<Record<string, string>>;
  idempotencyKey: string | undefined;
}

/** How much of a refused body is kept. */
const KEPT_OF_REFUSED_BYTES = 64 * 1024;

const REFUSED_STATUS: Readonly<Record<string, number>> = {
  unsupported: 415,
  unprocessable: 422,
  too_large: 413,
};

/**
 * Returns what the request says and what became of it, after the commit.
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
    body = await inflate(raw, headers["content-encoding"]);
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
    const problem = new Problem("unprocessable", "This Idempotency-Key was used with another body before.");
    await keepRefusal(platform, presented, problem);
    throw problem;
  }
  return { reading, outcome };
}

/** What a metrics instance was not expected to send is taken all the same, and its owner told (reference alerts A3). */
function withAddressee(reading: Reading, { type }: Endpoint): Reading {
  const isPlain = reading.shape === "generic" && reading.reports.some(({ readAs }) => readAs === undefined);
  return type === "prometheus" && isPlain
    ? { ...reading, warnings: [...reading.warnings, NO_METRICS] }
    : reading;
}

const NO_METRICS =
  "It came to a metrics instance, but is not what Alertmanager or Grafana send; it was read like any payload.";

/**
 * By what a repeat of this request is known: its Idempotency-Key, else what it calls itself. A body that is compressed
 * anew is the same one.
 */
function repeatOf(
  { endpoint, headers, idempotencyKey }: PresentedRequest,
  body: Buffer,
  { messageId }: Reading,
) {
  const webhookId = endpoint.signature === "standard_webhooks" ? headers["webhook-id"] : undefined;
  if (idempotencyKey !== undefined) {
    return { idempotencyHash: sha256(idempotencyKey), idempotentBody: sha256(body).toString("hex") };
  }
  if (webhookId !== undefined) return { idempotencyHash: sha256(`\0webhook-id ${webhookId}`) };
  return { idempotencyHash: messageId ? nameHash(messageId) : undefined };
}

/** Each of several messages is known by what it calls itself alone, so that it may come again alone or with others. */
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

/** A refused body stands in the list of receipts too, so that whoever set up the sender can see why. */
async function keepRefusal(platform: Platform, presented: PresentedRequest, error: unknown): Promise<void> {
  if (!(error instanceof Problem)) return;
  const { endpoint, receiptId, raw, key, headers } = presented;
  await insertReceipts(platform.db, [
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
