/** Verifies the response of a passkey. */
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import type { Platform } from "../platform/platform.ts";
import { withoutSecrets } from "../platform/secret.ts";
import { type PasskeyKey, readAnswer, relyingParty } from "./passkey.ts";
import type { Method } from "./session.ts";
import { findPasskeyKey, type PasskeyQuestion, takeChallenge, updatePasskeyUse } from "./store-passkeys.ts";

/** The reason is for the log and the audit log only; `userId` is the owner of the key, if known. */
export type PasskeyProof =
  | { userId: number; method: Method; refused?: never }
  | { userId: number | null; refused: "question" | "key" | "signature" | "verification" | "counter" };

/**
 * Each challenge is answered once, by the person and in the session for which it was issued (WebAuthn 3 §7.2). After the
 * signature was verified, one statement compares and updates the counter, so that a copied key is detected.
 */
export async function provePasskey(
  platform: Platform,
  question: PasskeyQuestion,
  sent: string,
): Promise<PasskeyProof> {
  const { db, log } = platform;
  const challenge = await takeChallenge(db, question);
  const answer = readAnswer<AuthenticationResponseJSON>(sent);
  if (!challenge || !answer) return { userId: question.userId, refused: "question" };
  const key = await findPasskeyKey(db, Buffer.from(answer.id, "base64url"));
  if (!key || !isAskedFor(key, question, answer)) return { userId: question.userId, refused: "key" };
  const { id: passkeyId, userId } = key;
  const info = await verify(platform, key, challenge, answer);
  if (!info) return { userId, refused: "signature" };
  if (question.purpose !== "second_factor" && !info.userVerified) return { userId, refused: "verification" };
  const use = { signCount: info.newCounter, backedUp: info.credentialBackedUp };
  if ((await updatePasskeyUse(db, passkeyId, use)) === 0) {
    log.warn(
      { userId, passkeyId, counter: use.signCount },
      "the counter of a passkey went back: it may have been copied",
    );
    return { userId, refused: "counter" };
  }
  return { userId, method: info.credentialDeviceType === "multiDevice" ? "swk" : "hwk" };
}

/** Whether the key belongs to the person who was asked; if nobody was named, to the one whom the authenticator names. */
function isAskedFor(
  key: PasskeyKey,
  { userId }: PasskeyQuestion,
  answer: AuthenticationResponseJSON,
): boolean {
  if (userId !== null && key.userId !== userId) return false;
  const named = answer.response.userHandle;
  if (typeof named !== "string") return userId !== null;
  return key.handle?.equals(Buffer.from(named, "base64url")) ?? false;
}

async function verify(
  { config, log }: Platform,
  key: PasskeyKey,
  challenge: Buffer,
  response: AuthenticationResponseJSON,
) {
  const { id, origin } = relyingParty(config.publicUrl);
  try {
    const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge.toString("base64url"),
      expectedOrigin: origin,
      expectedRPID: id,
      // Checked by the caller, after the signature.
      requireUserVerification: false,
      credential: {
        id: key.credentialId.toString("base64url"),
        publicKey: new Uint8Array(key.publicKey),
        counter: 0,
        transports: key.transports,
      },
    });
    return verified ? authenticationInfo : undefined;
  } catch (error) {
    log.info(
      { userId: key.userId, reason: withoutSecrets((error as Error).message) },
      "answer of a passkey refused",
    );
    return undefined;
  }
}
