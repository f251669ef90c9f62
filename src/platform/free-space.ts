/** Checks that the disk of the embedded database has space: a full one stops the database in the middle of a write. */
import { statfs } from "node:fs/promises";
import { Problem } from "./problem.ts";

const MEBIBYTE = 1024 * 1024;
/** Below both of these limits nothing more is stored (reference reliability A13). */
const LEAST_BYTES = 256 * MEBIBYTE;
const LEAST_SHARE = 0.05;
/** How long a result is cached. */
const KEPT_MS = 1000;

/** Whether this is too little free space; false for a file system that reports no size. */
export function isShort(freeBytes: number, totalBytes: number): boolean {
  return totalBytes > 0 && freeBytes < Math.min(LEAST_BYTES, totalBytes * LEAST_SHARE);
}

/** Returns the free and total space of a directory's file system; undefined if it cannot be read. */
export async function findSpace(
  directory: string,
): Promise<{ freeBytes: number; totalBytes: number } | undefined> {
  const disk = await statfs(directory).catch(() => undefined);
  return disk && { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}

/**
 * Returns a function that says whether the disk of a directory is short of space, cached for a second; false if it cannot be
 * read. `onChange` is called at each change.
 */
export function watchSpace(
  directory: string,
  onChange: (short: boolean) => void = () => {},
): () => Promise<boolean> {
  let asked: { at: number; answer: Promise<boolean> } | undefined;
  let known = false;
  const ask = async () => {
    const space = await findSpace(directory);
    const short = space !== undefined && isShort(space.freeBytes, space.totalBytes);
    if (short !== known) onChange(short);
    known = short;
    return short;
  };
  return () => {
    const now = performance.now();
    if (!asked || now - asked.at > KEPT_MS) asked = { at: now, answer: ask() };
    return asked.answer;
  };
}

/**
 * Called before data is stored that may grow without bound, so that stored data stays readable (decision 0178). The refusal ends
 * with `consequence`, which says what it means for the caller.
 * @throws Problem unavailable: the disk of the database is nearly full
 */
export async function checkSpace(
  platform: { isShortOfSpace?: () => Promise<boolean> },
  consequence = "Nothing was stored.",
): Promise<void> {
  if (!(await platform.isShortOfSpace?.())) return;
  throw new Problem("unavailable", `The disk of the database is nearly full. ${consequence}`, {
    retryAfterSeconds: 30,
  });
}
