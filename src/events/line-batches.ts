/** Splits streamed text into batches of lines, with a digest of all text up to each. */
import { createHash } from "node:crypto";
import { MAX_BYTES } from "./batch.ts";

/** Lines that are written together; an interrupted import loses at most the work of its last batches. */
const BATCH_LINES = 20_000;
const BATCH_BYTES = 8 * 1024 * 1024;

export interface LineBatch {
  /** Number of the first line, from 1. */
  first: number;
  /** Without line ends; null: longer than the limit. */
  lines: (Buffer | null)[];
  /** Length of the text in bytes, with line ends. */
  bytes: number;
  /** SHA-256 of the text from the beginning to the end of this batch. */
  digest: Buffer;
}

/** The batches of the text; one of them ends at line `mark`, so that its digest can be compared. */
export async function* lineBatches(chunks: AsyncIterable<Buffer>, mark: number): AsyncGenerator<LineBatch> {
  const hash = createHash("sha256");
  let batch = { first: 1, lines: [] as (Buffer | null)[], bytes: 0 };
  const finished = (): LineBatch => {
    const whole = { ...batch, digest: hash.copy().digest() };
    batch = { first: batch.first + batch.lines.length, lines: [], bytes: 0 };
    return whole;
  };
  let rest: Buffer[] = [];
  let restBytes = 0;
  const add = (end: Buffer) => {
    const bytes = restBytes + end.length;
    const isTooLong = bytes > MAX_BYTES;
    batch.lines.push(isTooLong ? null : rest.length === 0 ? end : Buffer.concat([...rest, end]));
    batch.bytes += bytes + 1;
    rest = [];
    restBytes = 0;
    const { lines, first } = batch;
    return lines.length >= BATCH_LINES || batch.bytes >= BATCH_BYTES || first + lines.length - 1 === mark;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      hash.update(chunk.subarray(start, end + 1));
      const isFull = add(chunk.subarray(start, end));
      start = end + 1;
      if (isFull) yield finished();
    }
    const left = chunk.subarray(start);
    hash.update(left);
    restBytes += left.length;
    // A line that is too long is counted, but not kept.
    if (restBytes > MAX_BYTES) rest = [];
    else if (left.length > 0) rest.push(left);
  }
  if (restBytes > 0) {
    hash.update("\n");
    add(Buffer.alloc(0));
  }
  if (batch.lines.length > 0) yield finished();
}
