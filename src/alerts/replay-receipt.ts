/** Reads the request of a receipt again by the current rules, and records it again or says what that would do. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { inflate } from "./body.ts";
import { type Outcome, originOf } from "./delivery.ts";
import { readDelivery } from "./read-delivery.ts";
import { type Decision, newReceiptId, type Receipt } from "./receipt.ts";
import { recordBatch, rehearse } from "./record-batch.ts";
import type { Reading } from "./report.ts";
import { type Endpoint, findEndpoint } from "./store-integrations.ts";

export interface Replay {
  reading: Reading;
  /** For a dry run, the decision about each report; undefined when it was recorded. */
  decisions: Decision[] | undefined;
  /** Undefined for a dry run. */
  outcome: Outcome | undefined;
}

/**
 * Replays a receipt as a request of its own, without its Idempotency-Key; a dry run leaves nothing behind. `nowMilliseconds`
 * is only the time in the new receipt's id.
 * @throws Problem unprocessable: the integration is gone or off, a test alert, or the body cannot be read; unavailable: too many
 *   others are being read
 */
export async function replayReceipt(
  platform: Platform,
  receipt: Receipt,
  dryRun: boolean,
  nowMilliseconds: number,
): Promise<Replay> {
  const endpoint =
    receipt.integrationId === null
      ? undefined
      : await findEndpoint(platform.db, receipt.projectId, receipt.integrationId);
  if (!endpoint) throw new Problem("unprocessable", "The integration of this receipt was deleted.");
  if (receipt.decision === "test")
    throw new Problem("unprocessable", "A test alert cannot be replayed; send a new one.");
  const reading = await readAgain(receipt, endpoint);
  const delivery = {
    ...originOf(endpoint),
    receiptId: newReceiptId(nowMilliseconds),
    keyHint: receipt.keyHint,
    headers: receipt.headers,
    raw: receipt.raw,
    reading: { ...reading, warnings: [`A replay of receipt ${receipt.id}.`, ...reading.warnings] },
    idempotencyHash: undefined,
  };
  if (dryRun) return { reading, decisions: await rehearse(platform, delivery), outcome: undefined };
  if (!endpoint.active)
    throw new Problem("unprocessable", "The integration is not active. Switch it on first.");
  const [outcome] = await recordBatch(platform, [delivery]);
  return { reading, decisions: undefined, outcome };
}

async function readAgain(receipt: Receipt, endpoint: Endpoint): Promise<Reading> {
  try {
    return readDelivery(await inflate(receipt.raw, receipt.headers["content-encoding"]), endpoint, receipt);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === "unavailable") throw error;
    throw new Problem("unprocessable", error.message);
  }
}
