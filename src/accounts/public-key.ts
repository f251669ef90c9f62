/** Checks the public key in a proof of possession, and keeps only the members of the key itself (RFC 9449 §4.2, §4.3). */
import type { JsonObject } from "../platform/json-object.ts";
import {
  isPrivateJwk,
  type KeyMembers,
  SIGNATURE_ALGORITHMS,
  SIGNATURES,
  type SignatureAlgorithm,
} from "../platform/jwt.ts";

/** The required members by key type (RFC 7638 §3.2). */
const MEMBERS = { EC: ["x", "y"], RSA: ["n", "e"], OKP: ["x"] } as const;

/** Characters of a modulus with 2048 and with 4096 bits; a longer one would only cost time. */
const LEAST_MODULUS = 342;
const MAX_MODULUS = 683;

export interface PublicKey {
  algorithm: SignatureAlgorithm;
  jwk: Readonly<Record<string, string>> & KeyMembers;
}

/** Returns the key, or what is wrong with it, in words that follow the subject of a sentence. */
export function publicKeyOf(alg: unknown, given: unknown): PublicKey | string {
  const algorithm = SIGNATURE_ALGORITHMS.find((known) => known === alg);
  if (!algorithm) return `its alg is none of ${SIGNATURE_ALGORITHMS.join(", ")}`;
  if (typeof given !== "object" || given === null) return "it has no jwk";
  const jwk = given as JsonObject;
  if (isPrivateJwk(jwk)) return "its jwk is not a public key";
  const kind = SIGNATURES[algorithm];
  if (Object.entries(kind).some(([name, value]) => jwk[name] !== value))
    return "its jwk is no key of its alg";
  const members = MEMBERS[kind.kty].map((name) => [name, jwk[name]] as const);
  if (members.some(([, value]) => typeof value !== "string" || !/^[\w-]+$/.test(value))) {
    return "its jwk is no key of its alg";
  }
  const key = { ...kind, ...Object.fromEntries(members) } as Record<string, string> & KeyMembers;
  if (kind.kty === "RSA") {
    const { n = "", e } = key;
    if (n.length < LEAST_MODULUS || n.length > MAX_MODULUS) {
      return "its jwk has not between 2048 and 4096 bits";
    }
    // A long exponent would make verification as expensive as signing.
    if (e !== "AQAB") return "the exponent of its jwk is not 65537";
  }
  return { algorithm, jwk: key };
}
