/** Reads the requests of a page of receipts again, a few at a time, since the body of each may be 16 MiB. */
import type { Platform } from "../platform/platform.ts";
import { FETCHED_BYTES } from "./alert.ts";
import { readReceipt } from "./read-receipt.ts";
import type { Receipt } from "./receipt.ts";
import type { Reading } from "./report.ts";
import { listReceipts } from "./store-receipts.ts";

/** Yields the receipts of these ids in the order of lists, with their readings, without any that were deleted meanwhile. */
export async function* readReceipts(
  { db }: Pick<Platform, "db">,
  projectId: number,
  sizes: readonly { id: string; sizeBytes: number }[],
): AsyncGenerator<{ receipt: Receipt; reading: Reading | undefined }> {
  for (const ids of portionsOf(sizes)) {
    for (const receipt of await listReceipts(db.pooled, projectId, ids)) {
      yield { receipt, reading: await readReceipt(receipt) };
    }
  }
}

function portionsOf(sizes: readonly { id: string; sizeBytes: number }[]): string[][] {
  const portions: string[][] = [];
  let left = 0;
  for (const { id, sizeBytes } of sizes) {
    left -= sizeBytes;
    if (portions.length === 0 || left < 0) {
      portions.push([]);
      left = FETCHED_BYTES - sizeBytes;
    }
    portions.at(-1)?.push(id);
  }
  return portions;
}
