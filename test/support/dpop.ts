/** Keys and DPoP proofs for the tests of RFC 9449: valid ones, and with any part wrong. */
import { createHash, type KeyObject, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import { type Algorithm, pairFor, signatureBy } from "./keys.ts";

export interface TestKey {
  alg: string;
  publicJwk: JWK;
  privateJwk: JWK;
  privateKey: KeyObject;
  /** The thumbprint of RFC 7638. */
  thumbprint: string;
}

/** A new key for an accepted algorithm; for others, pass a pair. */
export async function aKey(alg = "ES256", pair = pairFor(alg as Algorithm)): Promise<TestKey> {
  const publicJwk = pair.publicKey.export({ format: "jwk" }) as JWK;
  const privateJwk = pair.privateKey.export({ format: "jwk" }) as JWK;
  const thumbprint = await calculateJwkThumbprint(publicJwk);
  return { alg, publicJwk, privateJwk, privateKey: pair.privateKey, thumbprint };
}

/** The content of a proof; members given as undefined are left out. */
export interface Said {
  method: string;
  url: string;
  accessToken?: string;
  header?: Readonly<Record<string, unknown>>;
  claims?: Readonly<Record<string, unknown>>;
}

/** The proof of a request, signed with the key, with additional or changed members. */
export function proofBy(key: TestKey, { method, url, accessToken, header, claims }: Said): string {
  const head = { typ: "dpop+jwt", alg: key.alg, jwk: key.publicJwk, ...header };
  const body = {
    jti: randomUUID(),
    htm: method,
    htu: url.replace(/[?#].*$/, ""),
    iat: Math.floor(Date.now() / 1000),
    ...(accessToken === undefined ? {} : { ath: hashOf(accessToken) }),
    ...claims,
  };
  const input = [head, body].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${input}.${signatureOf(key, input).toString("base64url")}`;
}

/** The `ath` claim of an access token (RFC 9449 §4.2). */
export function hashOf(accessToken: string): string {
  return createHash("sha256").update(accessToken).digest("base64url");
}

/** Signs with the algorithm of the key's type, whatever the header says. */
function signatureOf({ alg, privateKey }: TestKey, input: string): Buffer {
  const kinds = { ed25519: "EdDSA", ec: alg === "ES384" ? "ES384" : "ES256" } as const;
  const rsa = alg === "PS256" ? "PS256" : "RS256";
  const algorithm = kinds[privateKey.asymmetricKeyType as keyof typeof kinds] ?? rsa;
  return signatureBy(algorithm, privateKey, Buffer.from(input));
}
