/** Whether the disk of the embedded database has room: one that fills up stops the database in the middle of a write. */
import { statfs } from "node:fs/promises";
import { Problem } from "./problem.ts";

const MEBIBYTE = 1024 * 1024;
/** Below both of these nothing more is taken in (reference reliability A13). */
const LEAST_BYTES = 256 * MEBIBYTE;
const LEAST_SHARE = 0.05;
/** How long an answer of the file system holds. */
const KEPT_MS = 1000;

/** Whether so much is too little; of a file system without a size nothing can be said. */
export function isShort(freeBytes: number, totalBytes: number): boolean {
  return totalBytes > 0 && freeBytes < Math.min(LEAST_BYTES, totalBytes * LEAST_SHARE);
}

/** What the file system of a directory has left for this process, and in all; undefined: it cannot be asked. */
export async function findSpace(
  directory: string,
): Promise<{ freeBytes: number; totalBytes: number } | undefined> {
  const disk = await statfs(directory).catch(() => undefined);
  return disk && { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}

/**
 * Tells whether the disk below a directory is short of room, as of the last second; not where it cannot be asked. `onChange`
 * hears of it once each time.
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
 * Asked before anything is taken in of which there may be much, so that what was taken in stays readable (decision 0178).
 * The refusal ends in `consequence`: what that means to whoever asked.
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
