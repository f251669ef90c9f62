/** Key pairs of applications, and assertions signed with them by Node.js alone, right or wrong in whatever way a test wants. */
import { constants, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import type { TestApplication } from "./oauth.ts";
import type { World } from "./world.ts";

export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export type Algorithm = "RS256" | "PS256" | "ES256" | "ES384" | "EdDSA" | "Ed25519";

export interface Pair {
  algorithm: Algorithm;
  privateKey: KeyObject;
  /** The public part. */
  jwk: Record<string, unknown>;
}

export function aKey(algorithm: Algorithm = "ES256", kid?: string): Pair {
  const { publicKey, privateKey } = pairFor(algorithm);
  const jwk = { ...publicKey.export({ format: "jwk" }), ...(kid === undefined ? {} : { kid }) };
  return { algorithm, privateKey, jwk };
}

function pairFor(algorithm: Algorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  switch (algorithm) {
    case "RS256":
    case "PS256":
      return generateKeyPairSync("rsa", { modulusLength: 2048 });
    case "ES256":
      return generateKeyPairSync("ec", { namedCurve: "P-256" });
    case "ES384":
      return generateKeyPairSync("ec", { namedCurve: "P-384" });
    default:
      return generateKeyPairSync("ed25519");
  }
}

/** As an application has them. */
export const setOf = (...pairs: readonly Pair[]): string =>
  JSON.stringify({ keys: pairs.map(({ jwk }) => jwk) });

export const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Signs a header and claims as they stand. */
export function signed(
  { algorithm, privateKey }: Pair,
  header: Record<string, unknown>,
  claims: unknown,
): string {
  const input = `${part({ alg: algorithm, ...header })}.${part(claims)}`;
  return `${input}.${signature(algorithm, privateKey, Buffer.from(input)).toString("base64url")}`;
}

function signature(algorithm: Algorithm, key: KeyObject, input: Buffer): Buffer {
  switch (algorithm) {
    case "RS256":
      return sign("sha256", input, key);
    case "PS256":
      return sign("sha256", input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
    case "ES256":
      return sign("sha256", input, { key, dsaEncoding: "ieee-p1363" });
    case "ES384":
      return sign("sha384", input, { key, dsaEncoding: "ieee-p1363" });
    default:
      return sign(null, input, key);
  }
}

/** What a client says of itself; an `undefined` takes a claim away. */
export function claimsOf(
  world: World,
  { uid }: Pick<TestApplication, "uid">,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  const usual = { iss: uid, sub: uid, aud: world.url, jti: randomUUID(), iat: now, exp: now + 60 };
  return { ...usual, ...more };
}

/** The parameters with which an application proves itself by its key. */
export function assertionForm(
  world: World,
  application: Pick<TestApplication, "uid">,
  pair: Pair,
  more: { header?: Record<string, unknown>; claims?: Record<string, unknown> } = {},
): { client_assertion_type: string; client_assertion: string } {
  const { header = {}, claims = {} } = more;
  return {
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: signed(pair, header, claimsOf(world, application, claims)),
  };
}
