/** Key pairs and signatures of JSON Web Tokens made by Node.js alone, for the tests of signatures (RFC 7518 §3). */
import { constants, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

const PAIRS = {
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ES384: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
  Ed25519: () => generateKeyPairSync("ed25519"),
} satisfies Record<string, () => KeyPair>;

export interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}
export type Algorithm = keyof typeof PAIRS;

/** A new pair for an algorithm. */
export function pairFor(algorithm: Algorithm): KeyPair {
  return PAIRS[algorithm]();
}

/** The signature of an algorithm with a key of its type. */
export function signatureBy(algorithm: Algorithm, key: KeyObject, input: Buffer): Buffer {
  switch (algorithm) {
    case "RS256":
      return sign("sha256", input, key);
    case "PS256":
      // With a salt of the hash's length (§3.5).
      return sign("sha256", input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
    case "ES256":
      return sign("sha256", input, { key, dsaEncoding: "ieee-p1363" });
    case "ES384":
      return sign("sha384", input, { key, dsaEncoding: "ieee-p1363" });
    default:
      return sign(null, input, key);
  }
}
