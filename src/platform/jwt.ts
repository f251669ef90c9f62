/** What is known of JSON Web Tokens and keys of others before anything is proven by them (RFC 7515, 7517, 7518). */
import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "./json-object.ts";

/**
 * The algorithms by which others may sign, each with the kind of key that it is for; Ed25519 by both of its names (RFC 8037 §3.1,
 * RFC 9864 §2.2). Symmetric ones and `none` prove no key, and are not here.
 */
export const SIGNATURES = {
  RS256: { kty: "RSA" },
  PS256: { kty: "RSA" },
  ES256: { kty: "EC", crv: "P-256" },
  ES384: { kty: "EC", crv: "P-384" },
  EdDSA: { kty: "OKP", crv: "Ed25519" },
  Ed25519: { kty: "OKP", crv: "Ed25519" },
} as const satisfies Record<string, KeyKind>;
export type SignatureAlgorithm = keyof typeof SIGNATURES;
export const SIGNATURE_ALGORITHMS = Object.keys(SIGNATURES) as readonly SignatureAlgorithm[];

export interface KeyKind {
  kty: string;
  crv?: string;
}

/** What makes up a public key (RFC 7518 §6). */
export interface KeyMembers extends KeyKind {
  n?: string;
  e?: string;
  x?: string;
  y?: string;
}

/** The name that every key has from what it is, whatever its owner calls it (RFC 7638 §3). */
export function thumbprintOf({ kty, crv, n, e, x, y }: KeyMembers): string {
  // Only what makes up the key, in the order of the alphabet.
  const made = kty === "RSA" ? { e, kty, n } : { crv, kty, x, ...(y === undefined ? {} : { y }) };
  return createHash("sha256").update(JSON.stringify(made)).digest("base64url");
}

/** The members of keys that nobody else may know (RFC 7518 §6.2.2, §6.3.2, §6.4). */
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Whether a JWK holds what must not be shown: of a private key, or a symmetric one. */
export function isPrivateJwk(jwk: object): boolean {
  return PRIVATE.some((name) => Object.hasOwn(jwk, name));
}

/** Whether there is something in it that must not be kept, or shown again; in doubt it is. */
export function holdsPrivateKey(text: string): boolean {
  if (/PRIVATE KEY-----/.test(text)) return true;
  try {
    return keysOf(JSON.parse(text)).some((key) => isObject(key) && isPrivateJwk(key));
  } catch {
    // What is no JSON may still be a key as a program prints it.
    return /(?<![\w$])(?:d|p|q|dp|dq|qi|k)["']?\s*:\s*["']/.test(text);
  }
}

/** The keys of a JWK Set, or the one JWK (RFC 7517 §4, §5). @throws Error: it is neither a set nor a key */
export function keysOf(value: unknown): readonly unknown[] {
  if (!isObject(value)) throw new Error("no object");
  if (Array.isArray(value.keys)) return value.keys;
  if (typeof value.kty !== "string") throw new Error("no key");
  return [value];
}

/** Header and claims of a token, signed or not, each undefined if it is no JSON object in base64url. */
export function readJwt(text: string): { header: JsonObject | undefined; claims: JsonObject | undefined } {
  const [, head = "", body = ""] = /^([\w-]+)\.([\w-]+)\.[\w-]*$/.exec(text) ?? [];
  return { header: membersOf(head), claims: membersOf(body) };
}

function membersOf(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
