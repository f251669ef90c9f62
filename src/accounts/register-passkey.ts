/** Stores a passkey that a browser has created for a person. */
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { withoutSecrets } from "../platform/secret.ts";
import type { Act } from "./audit.ts";
import { enterTwoFactor } from "./enter-two-factor.ts";
import { holdActor } from "./hold-actor.ts";
import {
  PASSKEY_ALGORITHMS,
  PASSKEYS_OF_ONE,
  passkeyNameFault,
  readAnswer,
  relyingParty,
} from "./passkey.ts";
import { insertPasskey, type NewPasskey, takeChallenge } from "./store-passkeys.ts";
import { lockFactors } from "./store-second-factor.ts";

/**
 * Returns the recovery codes if it is the person's first second factor, else none.
 * @throws FieldProblem: the name; Problem unprocessable: the response fits no challenge; conflict: the key is registered already
 */
export async function registerPasskey(
  platform: Platform,
  userId: number,
  given: { session: Buffer; answer: string; name: string },
  act: Act,
): Promise<string[]> {
  const fault = passkeyNameFault(given.name);
  if (fault) throw new FieldProblem({ name: [fault] });
  const passkey = { userId, name: given.name, ...(await readPasskey(platform, userId, given)) };
  return platform.db.transaction(async (tx) => {
    const before = await lockFactors(tx, userId);
    await holdActor(tx, act);
    if (before.passkeys >= PASSKEYS_OF_ONE) {
      throw new Problem("unprocessable", `You have ${PASSKEYS_OF_ONE} passkeys. Remove one first.`);
    }
    if ((await insertPasskey(tx, passkey)) === 0) {
      throw new Problem("conflict", "That passkey is registered already.");
    }
    const isFirst = !before.app && before.passkeys === 0;
    const added = { action: "passkey_added", details: { name: given.name } } as const;
    return enterTwoFactor(tx, userId, { ...added, isFirst, kept: given.session }, act);
  });
}

async function readPasskey(
  { db, config, log }: Platform,
  userId: number,
  given: { session: Buffer; answer: string },
): Promise<Omit<NewPasskey, "userId" | "name">> {
  const unfit = new Problem("unprocessable", "The passkey could not be checked. Try again.");
  const challenge = await takeChallenge(db, { purpose: "register", session: given.session, userId });
  const response = readAnswer<RegistrationResponseJSON>(given.answer);
  if (!challenge || !response) throw unfit;
  const { id, origin } = relyingParty(config.publicUrl);
  try {
    const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge.toString("base64url"),
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    });
    if (!registrationInfo) throw unfit;
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, "base64url"),
      publicKey: Buffer.from(credential.publicKey),
      signCount: credential.counter,
      transports: knownTransports(credential.transports),
      backedUp: credentialBackedUp,
    };
  } catch (error) {
    log.info({ userId, reason: withoutSecrets((error as Error).message) }, "passkey not registered");
    throw unfit;
  }
}

/** Keeps the known values of this hint, which the browser sends. */
function knownTransports(claimed: readonly unknown[] | undefined): string[] {
  const words = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"];
  return Array.isArray(claimed) ? words.filter((word) => claimed.includes(word)) : [];
}
