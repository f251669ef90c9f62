/**
 * The public keys by which an application may authenticate: which ones are accepted, and for which algorithms (RFC 7517;
 * decision 0206).
 */
import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { isObject, type JsonObject } from "../platform/json-object.ts";
import {
  holdsPrivateKey,
  type KeyKind,
  type KeyMembers,
  keysOf,
  SIGNATURE_ALGORITHMS,
  SIGNATURES,
  type SignatureAlgorithm,
  thumbprintOf,
} from "../platform/jwt.ts";

/** A public key as it is stored: its public parts, and its `kid`. */
export interface PublicJwk extends KeyMembers {
  kid?: string;
  /** The only algorithm that it is for; undefined: every one that fits it. */
  alg?: string;
}

/** The settings of an application for its keys. */
export interface SetKeys {
  /** A JWK Set as JSON; empty: no key. From a form: what was typed. */
  jwks: string;
  /** Whether it authenticates by key alone, so that its secrets are not accepted. */
  onlyByKey: boolean;
}
export const NO_KEYS: SetKeys = { jwks: "", onlyByKey: false };

/** The algorithms for which the key can be used. */
export function algorithmsOf({ kty, crv, alg }: PublicJwk): readonly SignatureAlgorithm[] {
  return SIGNATURE_ALGORITHMS.filter((one) => {
    const kind: KeyKind = SIGNATURES[one];
    return kind.kty === kty && kind.crv === crv && (alg === undefined || one === alg);
  });
}

export const MAX_KEYS = 10;
const LONGEST_SET = 65_536;
const LONGEST_KID = 255;
const LEAST_RSA_BITS = 2048;
/** Verifying a stranger's signature with a longer key would take too much time. */
const MAX_RSA_BITS = 8192;

const LEAKED =
  "holds a private or symmetric key. It was sent away from where it belongs and must be considered leaked: make a new pair, and paste the public part alone. Nothing of it was kept";

/** Returns what is wrong with the keys, by their wire names. */
export function keyFaults({ jwks, onlyByKey }: SetKeys, confidential: boolean): Record<string, string[]> {
  const keys = readKeys(jwks);
  if (typeof keys === "string") return { jwks: [keys] };
  if (keys.length === 0) return onlyByKey ? { only_by_key: ["needs a public key"] } : {};
  return confidential ? {} : { jwks: ["is for confidential applications alone"] };
}

/** Returns the text to store for valid keys: only their public parts; empty if there are none. */
export function keptKeys(jwks: string): string {
  const keys = readKeys(jwks);
  return keys.length === 0 || typeof keys === "string" ? "" : JSON.stringify({ keys }, null, 2);
}

/** Returns the keys of a stored text. */
export function keysIn(jwks: string): readonly PublicJwk[] {
  return jwks === "" ? [] : (JSON.parse(jwks) as { keys: PublicJwk[] }).keys;
}

export function thumbprintsOf(jwks: string): readonly string[] {
  return keysIn(jwks).map(thumbprintOf);
}

/** Whether a change enables a new way to authenticate: another key, or the secrets again. */
export function opensBy(before: SetKeys, after: SetKeys): boolean {
  const known = thumbprintsOf(before.jwks);
  const isNew = thumbprintsOf(keptKeys(after.jwks)).some((one) => !known.includes(one));
  return isNew || (before.onlyByKey && !after.onlyByKey);
}

/** Returns the keys of a JWK Set or a single JWK, none if the text is empty; else the fault in words. */
function readKeys(text: string): readonly PublicJwk[] | string {
  if (text.trim() === "") return [];
  if (text.length > LONGEST_SET) return `is too long (maximum is ${LONGEST_SET} characters)`;
  if (holdsPrivateKey(text)) return LEAKED;
  let given: readonly unknown[];
  try {
    given = keysOf(JSON.parse(text));
  } catch {
    const found = text.includes("-----BEGIN ") ? ", not PEM" : "";
    return `must be a JWK Set in JSON${found}: {"keys": […]}`;
  }
  if (given.length > MAX_KEYS) return `holds too many keys (maximum is ${MAX_KEYS})`;
  const keys: PublicJwk[] = [];
  for (const [index, each] of given.entries()) {
    const key = readKey(each);
    if (typeof key === "string")
      return `holds ${given.length === 1 ? "a key" : `as key ${index + 1} one`} that ${key}`;
    keys.push(key);
  }
  const names = keys.flatMap(({ kid }) => kid ?? []);
  return new Set(names).size < names.length ? "holds two keys with the same kid" : keys;
}

function readKey(given: unknown): PublicJwk | string {
  if (!isObject(given)) return "is no JSON object";
  const { kid, use, alg, key_ops: operations } = given;
  if (kid !== undefined && (typeof kid !== "string" || kid === "" || kid.length > LONGEST_KID)) {
    return `has a kid that is no text of 1 to ${LONGEST_KID} characters`;
  }
  if (use !== undefined && use !== "sig") return "is not for signatures (use)";
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify"))) {
    return "is not for verifying (key_ops)";
  }
  const key = publicPart(given);
  if (typeof key === "string") return key;
  const fitting = algorithmsOf(key);
  if (alg !== undefined && !fitting.some((one) => one === alg)) {
    return `is for another algorithm than ${fitting.join(" and ")}`;
  }
  return {
    ...key,
    ...(kid === undefined ? {} : { kid }),
    ...(alg === undefined ? {} : { alg: alg as string }),
  };
}

/** Returns the public part with its numbers in canonical form; else the fault in words. */
function publicPart({ kty, crv, n, e, x, y }: JsonObject): PublicJwk | string {
  const isEc = kty === "EC" && (crv === "P-256" || crv === "P-384");
  if (kty !== "RSA" && !isEc && !(kty === "OKP" && crv === "Ed25519")) {
    return "is of another kind than RSA, EC with P-256 or P-384, and Ed25519";
  }
  const numbers = kty === "RSA" ? { n, e } : isEc ? { crv, x, y } : { crv, x };
  let key: KeyObject;
  try {
    key = createPublicKey({ format: "jwk", key: { kty, ...numbers } as JsonWebKey });
  } catch {
    return "is broken: its numbers are missing or wrong";
  }
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined && (modulusLength < LEAST_RSA_BITS || modulusLength > MAX_RSA_BITS)) {
    return `has ${modulusLength} bits; RSA keys have ${LEAST_RSA_BITS} to ${MAX_RSA_BITS}`;
  }
  // With exponent 1 everybody could sign, and a large one would cost us time.
  if (publicExponent !== undefined && publicExponent !== 65_537n) {
    return "has another exponent than 65537 (AQAB)";
  }
  return key.export({ format: "jwk" }) as PublicJwk;
}
