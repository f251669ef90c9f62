/** Creates the options with which a browser makes a passkey. */
import { randomBytes } from "node:crypto";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { CHALLENGE_SECONDS, PASSKEY_ALGORITHMS, PASSKEYS_OF_ONE, relyingParty } from "./passkey.ts";
import { insertChallenge, listPasskeyKeys, settleHandle } from "./store-passkeys.ts";

/**
 * Returns the options for `navigator.credentials.create`, which exclude authenticators that the person has registered.
 * @throws Problem unprocessable: the person has the maximum number of passkeys
 */
export async function beginPasskey(
  { db, config }: Platform,
  person: { id: number; username: string; name: string },
  session: Buffer,
) {
  const known = await listPasskeyKeys(db, person.id);
  if (known.length >= PASSKEYS_OF_ONE) {
    throw new Problem("unprocessable", `You have ${PASSKEYS_OF_ONE} passkeys. Remove one first.`);
  }
  const challenge = randomBytes(32);
  await insertChallenge(db, { purpose: "register", session, userId: person.id }, challenge);
  const handle = await settleHandle(db, person.id, randomBytes(32));
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  return generateRegistrationOptions({
    rpName: "Gatehouse",
    rpID: relyingParty(config.publicUrl).id,
    userID: new Uint8Array(handle),
    userName: person.username,
    userDisplayName: person.name,
    challenge: new Uint8Array(challenge),
    timeout: CHALLENGE_SECONDS * 1000,
    attestationType: "none",
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    // Discoverable if the authenticator supports it, so that it also allows to sign in without a password.
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      id: credentialId.toString("base64url"),
      transports,
    })),
  });
}
