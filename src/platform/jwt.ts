/** Reads JSON Web Tokens and keys of others, without verifying them (RFC 7515, 7517, 7518). */
import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "./json-object.ts";

/**
 * The signature algorithms that are accepted from others, each with its type of key; Ed25519 under both of its names (RFC 8037
 * §3.1, RFC 9864 §2.2). Symmetric algorithms and `none` are left out, since they prove no possession of a private key.
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

/** The members of a public key (RFC 7518 §6). */
export interface KeyMembers extends KeyKind {
  n?: string;
  e?: string;
  x?: string;
  y?: string;
}

/** Returns the thumbprint of a public key, which does not depend on its `kid` (RFC 7638 §3). */
export function thumbprintOf({ kty, crv, n, e, x, y }: KeyMembers): string {
  // Only the required members, in alphabetical order.
  const made = kty === "RSA" ? { e, kty, n } : { crv, kty, x, ...(y === undefined ? {} : { y }) };
  return createHash("sha256").update(JSON.stringify(made)).digest("base64url");
}

/** The secret members of keys (RFC 7518 §6.2.2, §6.3.2, §6.4). */
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Whether a JWK has secret members: those of a private or symmetric key. */
export function isPrivateJwk(jwk: object): boolean {
  return PRIVATE.some((name) => Object.hasOwn(jwk, name));
}

/** Whether a text contains a private key, which must not be stored or shown again; true in doubt. */
export function holdsPrivateKey(text: string): boolean {
  if (/PRIVATE KEY-----/.test(text)) return true;
  try {
    return keysOf(JSON.parse(text)).some((key) => isObject(key) && isPrivateJwk(key));
  } catch {
    // Text that is not JSON may still be a key as a program prints it.
    return /(?<![\w$])(?:d|p|q|dp|dq|qi|k)["']?\s*:\s*["']/.test(text);
  }
}

/** Returns the keys of a JWK Set, or the single JWK (RFC 7517 §4, §5). @throws Error if it is neither a set nor a key */
export function keysOf(value: unknown): readonly unknown[] {
  if (!isObject(value)) throw new Error("no object");
  if (Array.isArray(value.keys)) return value.keys;
  if (typeof value.kty !== "string") throw new Error("no key");
  return [value];
}

/** Returns the header and the claims of a token, signed or not; each is undefined if it is not a JSON object in base64url. */
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
