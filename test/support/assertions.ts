/** Key pairs of applications, and client assertions signed with them, valid or invalid as a test needs. */
import { type KeyObject, randomUUID } from "node:crypto";
import { type Algorithm, pairFor, signatureBy } from "./keys.ts";
import type { TestApplication } from "./oauth.ts";
import type { World } from "./world.ts";

export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export interface Pair {
  algorithm: Algorithm;
  privateKey: KeyObject;
  /** The public key. */
  jwk: Record<string, unknown>;
}

export function aKey(algorithm: Algorithm = "ES256", kid?: string): Pair {
  const { publicKey, privateKey } = pairFor(algorithm);
  const jwk = { ...publicKey.export({ format: "jwk" }), ...(kid === undefined ? {} : { kid }) };
  return { algorithm, privateKey, jwk };
}

/** The JWK Set of the pairs, as an application registers it. */
export const setOf = (...pairs: readonly Pair[]): string =>
  JSON.stringify({ keys: pairs.map(({ jwk }) => jwk) });

export const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Signs the header and claims without checking them. */
export function signed(
  { algorithm, privateKey }: Pair,
  header: Record<string, unknown>,
  claims: unknown,
): string {
  const input = `${part({ alg: algorithm, ...header })}.${part(claims)}`;
  return `${input}.${signatureBy(algorithm, privateKey, Buffer.from(input)).toString("base64url")}`;
}

/** The claims of a client assertion; `undefined` removes a claim. */
export function claimsOf(
  world: World,
  { uid }: Pick<TestApplication, "uid">,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  const usual = { iss: uid, sub: uid, aud: world.url, jti: randomUUID(), iat: now, exp: now + 60 };
  return { ...usual, ...more };
}

/** The parameters that authenticate an application by its key. */
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
