/** Verifies the second step of a sign-in: a code of the authenticator app, a recovery code, or a passkey. */
import type { Platform } from "../platform/platform.ts";
import { digest } from "../platform/secret.ts";
import { judgeCode } from "./judge-code.ts";
import { provePasskey } from "./prove-passkey.ts";
import { plainRecoveryCode, stepOfCode, totpContext } from "./second-factor.ts";
import type { Method } from "./session.ts";
import { findSecondFactor, spendRecoveryCode, spendStep } from "./store-second-factor.ts";

/** What the person presents; the session is the one in which the passkey was requested. */
export type SecondFactorGiven = { code: string } | { passkey: string; session: Buffer };

/** The reason for refusing a passkey is for the log and the audit log only. */
export type SecondFactorProof =
  | { accepted: true; method: Method; waitSeconds?: never; reason?: never }
  | { accepted: false; waitSeconds: number; reason?: string };

/**
 * Accepts each time step, recovery code and passkey response once, also in parallel. Passkeys cannot be guessed, so they are not
 * counted, and somebody who guesses codes does not lock their owner out (reference reliability S63).
 */
export async function proveSecondFactor(
  platform: Platform,
  userId: number,
  given: SecondFactorGiven,
): Promise<SecondFactorProof> {
  if ("code" in given) {
    const { code } = given;
    const judged = await judgeCode(platform.db, userId, () => isRight(platform, userId, code));
    return judged.accepted
      ? { accepted: true, method: "otp" }
      : { accepted: false, waitSeconds: judged.waitSeconds };
  }
  const question = { purpose: "second_factor", session: given.session, userId } as const;
  const proof = await provePasskey(platform, question, given.passkey);
  if (proof.refused) return { accepted: false, waitSeconds: 0, reason: proof.refused };
  return { accepted: true, method: proof.method };
}

async function isRight(platform: Platform, userId: number, code: string): Promise<boolean> {
  const { db, keys } = platform;
  const factor = await findSecondFactor(db, userId);
  // If the master key was replaced, only recovery codes remain.
  const secret =
    factor?.sealed && factor.confirmed ? keys.openIfOurs(factor.sealed, totpContext(userId)) : undefined;
  const step = factor && secret !== undefined ? stepOfCode(secret, code, factor.nowSeconds) : undefined;
  if (step !== undefined) return (await spendStep(db, userId, step)) === 1;
  return (await spendRecoveryCode(db, userId, digest(plainRecoveryCode(code)))) === 1;
}
