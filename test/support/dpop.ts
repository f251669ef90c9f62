/** Keys, and proofs of their possession as the tests of RFC 9449 need them: whole ones, and with any part of them wrong. */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";

export interface TestKey {
  alg: string;
  publicJwk: JWK;
  privateJwk: JWK;
  privateKey: KeyObject;
  /** By RFC 7638. */
  thumbprint: string;
}

const PAIRS: Readonly<Record<string, () => { publicKey: KeyObject; privateKey: KeyObject }>> = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ES384: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync("ed25519"),
  Ed25519: () => generateKeyPairSync("ed25519"),
};

/** A new key for an algorithm that is taken; one of one's own making for others. */
export async function aKey(alg = "ES256", pair = PAIRS[alg]?.()): Promise<TestKey> {
  if (!pair) throw new Error(`no keys for ${alg}`);
  const publicJwk = pair.publicKey.export({ format: "jwk" }) as JWK;
  const privateJwk = pair.privateKey.export({ format: "jwk" }) as JWK;
  const thumbprint = await calculateJwkThumbprint(publicJwk);
  return { alg, publicJwk, privateJwk, privateKey: pair.privateKey, thumbprint };
}

/** What a proof says; members given as undefined are left out. */
export interface Said {
  method: string;
  url: string;
  accessToken?: string;
  header?: Readonly<Record<string, unknown>>;
  claims?: Readonly<Record<string, unknown>>;
}

/** The proof of a request, signed by the key, with whatever else it is to say. */
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

/** As RFC 9449 §4.2 writes an access token into a proof. */
export function hashOf(accessToken: string): string {
  return createHash("sha256").update(accessToken).digest("base64url");
}

function signatureOf({ alg, privateKey }: TestKey, input: string): Buffer {
  const data = Buffer.from(input);
  if (privateKey.asymmetricKeyType === "ed25519") return sign(null, data, privateKey);
  const hash = alg === "ES384" ? "sha384" : "sha256";
  if (privateKey.asymmetricKeyType === "ec")
    return sign(hash, data, { key: privateKey, dsaEncoding: "ieee-p1363" });
  // RSASSA-PSS with a salt as long as the hash (RFC 7518 §3.5), else PKCS #1.
  return alg === "PS256"
    ? sign(hash, data, { key: privateKey, padding: 6, saltLength: 32 })
    : sign(hash, data, privateKey);
}
