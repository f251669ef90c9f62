/** Asks for a passkey in the password's place, before a sensitive act. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { provePasskey } from "./prove-passkey.ts";
import { recordAudit } from "./record-audit.ts";

/** @throws Problem forbidden: not an answer of this person's passkey to the question of this session */
export async function checkPasskey(
  platform: Platform,
  userId: number,
  given: { session: Buffer; answer: string },
  address: string,
): Promise<void> {
  const question = { purpose: "proof", session: given.session, userId } as const;
  const { refused } = await provePasskey(platform, question, given.answer);
  if (!refused) return;
  const act = { actorId: null, ip: address };
  const details = { reason: refused, for: "proof" };
  await recordAudit(platform.db.pooled, { ...act, action: "passkey_refused", userId, details });
  throw new Problem("forbidden", "That passkey was not accepted. Try again, or use your password.");
}
