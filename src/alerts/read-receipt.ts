/** Reads the request of a receipt again. */
import { Problem } from "../platform/problem.ts";
import { inflate } from "./body.ts";
import { readDelivery } from "./read-delivery.ts";
import type { Receipt } from "./receipt.ts";
import type { Reading } from "./report.ts";

/**
 * Returns the reading of a receipt's body by the current rules of its integration; undefined if it cannot be read.
 * @throws Problem unavailable: too many others are being read
 */
export async function readReceipt(
  receipt: Pick<Receipt, "raw" | "headers" | "receivedAt" | "mapping" | "valueTables" | "groupBy" | "ignore">,
): Promise<Reading | undefined> {
  try {
    const body = await inflate(receipt.raw, receipt.headers["content-encoding"]);
    return readDelivery(body, { ...receipt, strict: false }, receipt);
  } catch (error) {
    if (error instanceof Problem && error.kind !== "unavailable") return undefined;
    throw error;
  }
}
