/** Puts new recovery codes in the place of the old ones. */
import type { Queries } from "../platform/db.ts";
import { digest } from "../platform/secret.ts";
import { newRecoveryCodes, plainRecoveryCode } from "./second-factor.ts";
import { replaceRecoveryCodes } from "./store-second-factor.ts";

/** Returns the codes, which are kept as digests alone. */
export async function renewRecoveryCodes(tx: Queries, userId: number): Promise<string[]> {
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => digest(plainRecoveryCode(code))),
  );
  return codes;
}
