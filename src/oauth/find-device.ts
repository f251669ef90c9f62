/** Finds the device whose code a person typed, and limits guessing (RFC 8628 §5.1; reference oauth D58). */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { MAX_WRONG_CODES, readUserCode } from "./device.ts";
import {
  countOtherDeviceTries,
  deleteDeviceTry,
  findWaitingDevice,
  insertDeviceTry,
  type WaitingDevice,
} from "./store-devices.ts";

/** The device of a typed code, with the hash by which it is answered. */
export type FoundDevice = WaitingDevice & { userCode: string; userCodeHash: string };

/**
 * Returns undefined if no device waits with this code; each wrong code is counted. A try is recorded before it is checked, so
 * that concurrent tries get no further than sequential ones.
 * @throws Problem too_many: the person typed too many wrong codes
 */
export async function findDevice(
  { db, keys }: Platform,
  userId: number,
  typed: string,
): Promise<FoundDevice | undefined> {
  const mine = await insertDeviceTry(db, userId);
  if ((await countOtherDeviceTries(db, userId, mine)) >= MAX_WRONG_CODES) {
    await deleteDeviceTry(db, mine);
    throw new Problem("too_many", "You entered too many wrong codes. Try again in ten minutes.", {
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
