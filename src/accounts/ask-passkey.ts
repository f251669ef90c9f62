/** Creates the options with which a browser asks for a passkey. */
import { randomBytes } from "node:crypto";
import type { Platform } from "../platform/platform.ts";
import { CHALLENGE_SECONDS, relyingParty } from "./passkey.ts";
import { insertChallenge, listPasskeyKeys, type PasskeyQuestion } from "./store-passkeys.ts";

/**
 * Returns the options for `navigator.credentials.get`. A passkey used alone (sign-in without a password) or instead of the
 * password (proof) must verify its owner by finger, face or PIN; as a second factor, presence is enough.
 */
export async function askPasskey({ db, config }: Platform, question: PasskeyQuestion) {
  const { userId, purpose } = question;
  const known = userId === null ? [] : await listPasskeyKeys(db, userId);
  const challenge = randomBytes(32);
  await insertChallenge(db, question, challenge);
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  return generateAuthenticationOptions({
    rpID: relyingParty(config.publicUrl).id,
    challenge: new Uint8Array(challenge),
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: purpose === "second_factor" ? "preferred" : "required",
    allowCredentials: known.map(({ credentialId, transports }) => ({
      id: credentialId.toString("base64url"),
      transports,
    })),
  });
}
