/** Reads a kept request again, as it was read when it came. */
import { Problem } from "../platform/problem.ts";
import { inflate } from "./body.ts";
import { readDelivery } from "./read-delivery.ts";
import type { Receipt } from "./receipt.ts";
import type { Reading } from "./report.ts";

/** What a receipt's bytes say; undefined where they cannot be read. */
export async function readReceipt(
  receipt: Pick<Receipt, "raw" | "headers" | "receivedAt" | "mapping" | "valueTables" | "groupBy" | "ignore">,
): Promise<Reading | undefined> {
  try {
    const body = await inflate(receipt.raw, receipt.headers["content-encoding"]);
    return readDelivery(body, { ...receipt, strict: false }, receipt);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
