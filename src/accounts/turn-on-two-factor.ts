/** Makes an authenticator app a second factor: a secret for the app first, then a code that proves it arrived. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { enterTwoFactor } from "./enter-two-factor.ts";
import { recordAudit } from "./record-audit.ts";
import { newTotpSecret, otpauthUrl, stepOfCode, totpContext } from "./second-factor.ts";
import {
  confirmSecret,
  findSecondFactor,
  lockFactors,
  updateUnconfirmedSecret,
} from "./store-second-factor.ts";

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
 * @throws Problem conflict when an app counts already
 */
export async function startTwoFactor({ db, keys }: Platform, person: Person): Promise<TotpSecret> {
  const secret = newTotpSecret();
  const sealed = keys.seal(secret, totpContext(person.id));
  if ((await updateUnconfirmedSecret(db, person.id, sealed)) === 0) {
    throw new Problem("conflict", IS_ON);
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

const IS_ON = "Two-factor sign-in is on already.";

/**
 * The app counts from now on. As the first second factor it ends every session and every token given for the password
 * alone, and recovery codes are returned, which are shown this once; beside passkeys the codes of then stay, and none are returned.
 * @param kept the session in which it happens, which goes on; its secret is to be renewed
 * @throws Problem unprocessable: a wrong code, or no secret waits; conflict: an app counts already
 */
export async function confirmTwoFactor(
  { db, keys }: Platform,
  userId: number,
  code: string,
  act: Act,
  kept?: Buffer,
): Promise<string[]> {
  const factor = await findSecondFactor(db, userId);
  if (factor?.confirmed) throw new Problem("conflict", IS_ON);
  if (!factor?.sealed) throw new Problem("unprocessable", "Start with a new secret first.");
  const step = stepOfCode(keys.open(factor.sealed, totpContext(userId)), code, factor.nowSeconds);
  if (step === undefined) {
    throw new Problem(
      "unprocessable",
      "That code doesn’t fit. Check the clock of your device and try the newest code.",
    );
  }
  return db.transaction(async (tx) => {
    const before = await lockFactors(tx, userId);
    if ((await confirmSecret(tx, userId, step)) === 0) throw new Problem("conflict", IS_ON);
    await recordAudit(tx, { ...act, action: "authenticator_added", userId });
    return before.passkeys === 0 ? enterTwoFactor(tx, userId, act, kept) : [];
  });
}
