/** Makes recovery codes, in place of earlier ones. */
import type { Queries } from "../platform/db.ts";
import { digest } from "../platform/secret.ts";
import { newRecoveryCodes, plainRecoveryCode } from "./second-factor.ts";
import { replaceRecoveryCodes } from "./store-second-factor.ts";

/** Returns the codes; only their digests are stored. */
export async function issueRecoveryCodes(tx: Queries, userId: number): Promise<string[]> {
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => digest(plainRecoveryCode(code))),
  );
  return codes;
}
