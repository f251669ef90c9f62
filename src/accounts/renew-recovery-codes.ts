/** Replaces recovery codes by new ones. */
import type { Queries } from "../platform/db.ts";
import { digest } from "../platform/secret.ts";
import { newRecoveryCodes, plainRecoveryCode } from "./second-factor.ts";
import { replaceRecoveryCodes } from "./store-second-factor.ts";

/** Returns the codes; only their digests are stored. */
export async function renewRecoveryCodes(tx: Queries, userId: number): Promise<string[]> {
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => digest(plainRecoveryCode(code))),
  );
  return codes;
}
