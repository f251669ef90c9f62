/** Finds the device whose code a person typed, and stops those who guess (RFC 8628 §5.1; reference oauth D58). */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { MOST_WRONG_CODES, readUserCode } from "./device.ts";
import {
  countOtherDeviceTries,
  deleteDeviceTry,
  findWaitingDevice,
  insertDeviceTry,
  type WaitingDevice,
} from "./store-devices.ts";

/** What a typed code leads to, with the hash by which the answer is given. */
export type FoundDevice = WaitingDevice & { userCode: string; userCodeHash: string };

/**
 * Undefined for a code that nobody waits with; each one is counted. A try is written down before it is judged, so that of
 * many at once no more get through than one after the other.
 * @throws Problem too_many: the person typed too many wrong ones
 */
export async function findDevice(
  { db, keys }: Platform,
  userId: number,
  typed: string,
): Promise<FoundDevice | undefined> {
  const mine = await insertDeviceTry(db, userId);
  if ((await countOtherDeviceTries(db, userId, mine)) >= MOST_WRONG_CODES) {
    await deleteDeviceTry(db, mine);
    throw new Problem("too_many", "You typed too many wrong codes. Try again in ten minutes.", {
      retryAfterSeconds: 600,
    });
  }
  const userCode = readUserCode(typed);
  if (userCode === undefined) return undefined;
  for (const sign of keys.signers()) {
    const userCodeHash = sign("user code", userCode);
    const found = await findWaitingDevice(db, userCodeHash);
    if (!found) continue;
    await deleteDeviceTry(db, mine);
    return { ...found, userCode, userCodeHash };
  }
  return undefined;
}
