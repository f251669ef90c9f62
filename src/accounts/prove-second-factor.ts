/** Judges the second step of a sign-in: a code of the authenticator app, or a recovery code. */
import type { Platform } from "../platform/platform.ts";
import { digest } from "../platform/secret.ts";
import { plainRecoveryCode, stepOfCode, totpContext } from "./second-factor.ts";
import { findSecondFactor, spendRecoveryCode, spendStep } from "./store-second-factor.ts";
import {
  deleteSignInFailure,
  deleteSignInFailures,
  findWaitBefore,
  insertSignInFailure,
} from "./store-sessions.ts";

export type SecondFactorProof = { accepted: true } | { accepted: false; waitSeconds: number };

/**
 * Accepts each time step and each recovery code once, whatever comes in parallel. The try is written down before it
 * is judged, so that many at once cannot outrun the throttle; the network does not matter, because who stands here
 * knows the password (reference reliability S59, S60).
 */
export async function proveSecondFactor(
  platform: Platform,
  userId: number,
  code: string,
): Promise<SecondFactorProof> {
  const { db } = platform;
  const login = `second factor ${userId}`;
  const attempt = await insertSignInFailure(db, login, ANYWHERE);
  const waitSeconds = await findWaitBefore(db, login, ANYWHERE, attempt);
  if (waitSeconds > 0) {
    await deleteSignInFailure(db, attempt);
    return { accepted: false, waitSeconds };
  }
  if (!(await isRight(platform, userId, code))) {
    return { accepted: false, waitSeconds: await findWaitBefore(db, login, ANYWHERE, attempt + 1) };
  }
  await deleteSignInFailures(db, login, ANYWHERE);
  return { accepted: true };
}

const ANYWHERE = "anywhere";

async function isRight(platform: Platform, userId: number, code: string): Promise<boolean> {
  const { db, keys } = platform;
  const factor = await findSecondFactor(db, userId);
  if (!factor?.sealed || !factor.confirmed) return false;
  const step = stepOfCode(keys.open(factor.sealed, totpContext(userId)), code, factor.nowSeconds);
  if (step !== undefined) return (await spendStep(db, userId, step)) === 1;
  return (await spendRecoveryCode(db, userId, digest(plainRecoveryCode(code)))) === 1;
}
