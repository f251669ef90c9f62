/** Proof Key for Code Exchange, S256 alone (RFC 7636; contract §4, PKCE). */
import { createHash, timingSafeEqual } from "node:crypto";

/** A SHA-256 in base64url without padding. */
export function isChallenge(challenge: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(challenge);
}

/** 43 to 128 unreserved characters (RFC 7636 §4.1). */
export function isVerifier(verifier: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(verifier);
}

/**
 * Whether the verifier belongs to the stored challenge. A verifier without a challenge is a downgrade and fails, as
 * does a challenge without a verifier (RFC 9700 §4.8).
 */
export function verifierMatches(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  if (!isVerifier(verifier)) return false;
  const computed = Buffer.from(createHash("sha256").update(verifier).digest("base64url"));
  const stored = Buffer.from(challenge);
  return computed.length === stored.length && timingSafeEqual(computed, stored);
}
