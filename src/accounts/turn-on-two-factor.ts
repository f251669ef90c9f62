/** Turns two-factor sign-in on: a secret for the authenticator app first, then a code that proves it arrived. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import type { Act } from "./audit.ts";
import { recordAudit } from "./record-audit.ts";
import {
  newRecoveryCodes,
  newTotpSecret,
  otpauthUrl,
  plainRecoveryCode,
  stepOfCode,
  totpContext,
} from "./second-factor.ts";
import {
  confirmSecret,
  findSecondFactor,
  replaceRecoveryCodes,
  updateUnconfirmedSecret,
} from "./store-second-factor.ts";
import { deleteSessionsOfUser } from "./store-sessions.ts";

export interface Person {
  id: number;
  username: string;
}

export interface TotpSecret {
  /** Base32, as people type it. */
  secret: string;
  otpauthUrl: string;
}

/**
 * Makes a secret that counts once it is confirmed; one made before and not confirmed is forgotten.
 * @throws Problem conflict when two-factor is on already
 */
export async function startTwoFactor({ db, keys }: Platform, person: Person): Promise<TotpSecret> {
  const secret = newTotpSecret();
  const sealed = keys.seal(secret, totpContext(person.id));
  if ((await updateUnconfirmedSecret(db, person.id, sealed)) === 0) {
    throw new Problem("conflict", "Two-factor sign-in is on already.");
  }
  return { secret, otpauthUrl: otpauthUrl(secret, person.username) };
}

/** The secret that waits for its confirmation, for a page that is shown again. */
export async function waitingSecret({ db, keys }: Platform, person: Person): Promise<TotpSecret | undefined> {
  const factor = await findSecondFactor(db, person.id);
  if (!factor?.sealed || factor.confirmed) return undefined;
  const secret = keys.open(factor.sealed, totpContext(person.id));
  return { secret, otpauthUrl: otpauthUrl(secret, person.username) };
}

/**
 * Turns two-factor on, ends every session and every token given for the password alone, and returns the recovery codes, which are shown this once.
 * @throws Problem unprocessable: a wrong code, or no secret waits; conflict: it is on already
 */
export async function confirmTwoFactor(
  { db, keys }: Platform,
  userId: number,
  code: string,
  act: Act,
): Promise<string[]> {
  const factor = await findSecondFactor(db, userId);
  if (factor?.confirmed) throw new Problem("conflict", "Two-factor sign-in is on already.");
  if (!factor?.sealed) throw new Problem("unprocessable", "Start with a new secret first.");
  const step = stepOfCode(keys.open(factor.sealed, totpContext(userId)), code, factor.nowSeconds);
  if (step === undefined) {
    throw new Problem(
      "unprocessable",
      "That code doesn’t fit. Check the clock of your device and try the newest code.",
    );
  }
  const codes = newRecoveryCodes();
  await db.transaction(async (tx) => {
    if ((await confirmSecret(tx, userId, step)) === 0) {
      throw new Problem("conflict", "Two-factor sign-in is on already.");
    }
    const digests = codes.map((code) => digest(plainRecoveryCode(code)));
    await replaceRecoveryCodes(tx, userId, digests);
    // They were opened by the password alone.
    await deleteSessionsOfUser(tx, userId);
    await recordAudit(tx, { ...act, action: "two_factor_on", userId });
  });
  return codes;
}
