/** Checks a passkey instead of the password, before a sensitive act. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { provePasskey } from "./prove-passkey.ts";
import { recordAudit } from "./record-audit.ts";
import type { Method } from "./session.ts";

/**
 * Returns the method that was used.
 * @throws Problem forbidden: the response is not that of the person's passkey to the challenge that the browser was given
 */
export async function checkPasskey(
  platform: Platform,
  userId: number,
  given: { session: Buffer; answer: string },
  address: string,
): Promise<Method> {
  const question = { purpose: "proof", session: given.session, userId } as const;
  const proof = await provePasskey(platform, question, given.answer);
  if (!proof.refused) return proof.method;
  const act = { actorId: null, ip: address };
  const details = { reason: proof.refused, for: "proof" };
  await recordAudit(platform.db.pooled, { ...act, action: "passkey_refused", userId, details });
  throw new Problem("forbidden", "That passkey was not accepted. Try again, or use your password.");
}
