/** Inflates gzip one body at a time: the inflated size is not known in advance, and many at once would fill the memory. */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Problem } from "./problem.ts";

const inflate = promisify(gunzip) as (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

let last: Promise<unknown> = Promise.resolve();

/** @throws Problem one of the two: more than `most` bytes, or not gzip */
export async function inflateGzip(
  body: Buffer,
  most: number,
  refusals: { tooLarge: () => Problem; broken: () => Problem },
): Promise<Buffer> {
  const mine = last.then(() => inflate(body, { maxOutputLength: most }));
  last = mine.then(
    () => undefined,
    () => undefined,
  );
  try {
    return await mine;
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge ? refusals.tooLarge() : refusals.broken();
  }
}
