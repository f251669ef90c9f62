/** The public key in a proof of possession: what it may be, and nothing of it but that (RFC 9449 §4.2, §4.3). */

/** What each algorithm signs with. Symmetric ones and `none` prove no key, and are not here. */
const KEYS = {
  ES256: { kty: "EC", crv: "P-256" },
  ES384: { kty: "EC", crv: "P-384" },
  RS256: { kty: "RSA" },
  PS256: { kty: "RSA" },
  EdDSA: { kty: "OKP", crv: "Ed25519" },
  Ed25519: { kty: "OKP", crv: "Ed25519" },
} as const;
type Algorithm = keyof typeof KEYS;

/** With which proofs may be signed. */
export const PROOF_ALGORITHMS = Object.keys(KEYS) as readonly Algorithm[];

/** The members that are the key itself, by its kind (RFC 7638 §3.2). */
const MEMBERS = { EC: ["x", "y"], RSA: ["n", "e"], OKP: ["x"] } as const;

/** Of private and of symmetric keys (RFC 7518 §6). */
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Characters of the modulus of a key with 2048 and with 4096 bits; a longer one would only keep us busy. */
const LEAST_MODULUS = 342;
const MOST_MODULUS = 683;

export interface PublicKey {
  algorithm: Algorithm;
  jwk: Readonly<Record<string, string>>;
}

/** The key; in words, after the subject of a sentence, what is wrong with it. */
export function publicKeyOf(alg: unknown, given: unknown): PublicKey | string {
  const algorithm = PROOF_ALGORITHMS.find((known) => known === alg);
  if (!algorithm) return `its alg is none of ${PROOF_ALGORITHMS.join(", ")}`;
  if (typeof given !== "object" || given === null) return "it has no jwk";
  const jwk = given as Readonly<Record<string, unknown>>;
  if (PRIVATE.some((name) => Object.hasOwn(jwk, name))) return "its jwk is not a public key";
  const kind = KEYS[algorithm];
  if (Object.entries(kind).some(([name, value]) => jwk[name] !== value))
    return "its jwk is no key of its alg";
  const members = MEMBERS[kind.kty].map((name) => [name, jwk[name]] as const);
  if (members.some(([, value]) => typeof value !== "string" || !/^[\w-]+$/.test(value))) {
    return "its jwk is no key of its alg";
  }
  const key = { ...kind, ...Object.fromEntries(members) } as Record<string, string>;
  if (kind.kty === "RSA") {
    const { n = "", e } = key;
    if (n.length < LEAST_MODULUS || n.length > MOST_MODULUS) {
      return "its jwk has not between 2048 and 4096 bits";
    }
    // With a long exponent the proof of a public key costs as much as a private one.
    if (e !== "AQAB") return "the exponent of its jwk is not 65537";
  }
  return { algorithm, jwk: key };
}
