/** Adds an authenticator app as a second factor: first a secret for the app, then a code that confirms it. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { wrongPassword } from "./check-password.ts";
import { enterTwoFactor } from "./enter-two-factor.ts";
import { holdActor } from "./hold-actor.ts";
import { judgeCode } from "./judge-code.ts";
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
 * Creates a secret, to be confirmed within half an hour; replaces an unconfirmed one.
 * @param passwordHash the hash that the person's password was compared with
 * @throws Problem conflict: an app is confirmed already; forbidden: the password was changed meanwhile
 */
export async function startTwoFactor(
  { db, keys }: Platform,
  person: Person,
  passwordHash: string,
): Promise<TotpSecret> {
  const secret = newTotpSecret();
  const sealed = keys.seal(secret, totpContext(person.id));
  if ((await updateUnconfirmedSecret(db, person.id, sealed, passwordHash)) === 0) {
    throw (await findSecondFactor(db, person.id))?.confirmed
      ? new Problem("conflict", IS_ON)
      : wrongPassword();
  }
  return { secret, otpauthUrl: otpauthUrl(secret, person.username) };
}

/** Returns the unconfirmed secret, for a page that is shown again. */
export async function waitingSecret({ db, keys }: Platform, person: Person): Promise<TotpSecret | undefined> {
  const factor = await findSecondFactor(db, person.id);
  if (!factor?.sealed || factor.confirmed) return undefined;
  const secret = keys.open(factor.sealed, totpContext(person.id));
  return { secret, otpauthUrl: otpauthUrl(secret, person.username) };
}

const IS_ON = "Two-factor sign-in is on already.";
const NONE_WAITS = "Start with a new secret first.";

/**
 * Confirms the app. As the first second factor it ends every session and (by a trigger) every token granted for the password
 * alone, and returns recovery codes, which are shown once; beside passkeys the existing codes stay and none are returned.
 * @param kept the current session, which stays; the caller must renew its secret
 * @throws Problem unprocessable: a wrong code, or no secret waits; too_many: earlier wrong codes; conflict: an app is confirmed
 * already
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
  const { sealed = null } = factor ?? {};
  if (!factor || !sealed) throw new Problem("unprocessable", NONE_WAITS);
  const step = stepOfCode(keys.open(sealed, totpContext(userId)), code, factor.nowSeconds);
  const judged = await judgeCode(db, userId, async () => step !== undefined);
  if (!judged.accepted && !judged.isJudged) {
    const { waitSeconds: retryAfterSeconds } = judged;
    const text = `Too many wrong codes. Try again in ${retryAfterSeconds} s.`;
    throw new Problem("too_many", text, { retryAfterSeconds });
  }
  if (step === undefined) {
    throw new Problem(
      "unprocessable",
      "That code is not valid. Check the clock of your device and try the newest code.",
    );
  }
  return db.transaction(async (tx) => {
    const before = await lockFactors(tx, userId);
    await holdActor(tx, act);
    if ((await confirmSecret(tx, userId, sealed, step)) === 0) {
      throw before.app ? new Problem("conflict", IS_ON) : new Problem("unprocessable", NONE_WAITS);
    }
    const isFirst = before.passkeys === 0;
    return enterTwoFactor(tx, userId, { action: "authenticator_added", isFirst, kept }, act);
  });
}
