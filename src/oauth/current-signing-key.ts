/** Finds the key that signs now, and creates one on first use, or its successor if it is old. */
import type { CryptoKey, JWK } from "jose";
import type { Platform } from "../platform/platform.ts";
import { SIGNING_ALGORITHMS, type SigningAlgorithm, type SigningKey, sealOf } from "./signing-key.ts";
import { insertSigningKey, listNewestKeys } from "./store-openid.ts";

/** An imported key, ready to sign. */
export interface ReadyKey {
  kid: string;
  key: CryptoKey | Uint8Array;
}

/** A decrypted key. */
interface OpenKey {
  kid: string;
  jwk: JWK;
}

/**
 * If several processes find no key, or an old one, each creates the next, and all use the one that was stored; an existing key
 * signs until its successor has been published for a day (OpenID Connect Core §10.1.1; decision 0017).
 * @throws Problem unavailable: no master key of this process decrypts the key, which is left as it is (decision 0211)
 */
export async function currentSigningKey(platform: Platform, algorithm: SigningAlgorithm): Promise<ReadyKey> {
  const { kid, jwk } = await keepSigningKey(platform, algorithm);
  const { importJWK } = await import("jose");
  return { kid, key: await importJWK(jwk, algorithm) };
}

/** Returns the same key, not imported. Ensures that there is one, and that its successor is created in time. */
export async function keepSigningKey(platform: Platform, algorithm: SigningAlgorithm): Promise<OpenKey> {
  const [newest, before] = await listNewestKeys(platform.db, algorithm);
  if (!newest) {
    await makeKey(platform, algorithm, 1);
    const [made] = await listNewestKeys(platform.db, algorithm);
    if (!made) throw new Error(`no key for ${algorithm}`);
    return decrypted(platform, made);
  }
  const key = keyInUse(platform, newest, before);
  if (newest.old) await makeKey(platform, algorithm, newest.generation + 1);
  return key;
}

/** Creates the first key, so that there is one to publish. Returns whether there was none. */
export async function makeFirstSigningKey(platform: Platform, algorithm: SigningAlgorithm): Promise<boolean> {
  const [newest] = await listNewestKeys(platform.db, algorithm);
  if (!newest) await makeKey(platform, algorithm, 1);
  return newest === undefined;
}

/** Creates a successor for each key that no configured master key decrypts. Returns how many there were. */
export async function replaceLostSigningKeys(platform: Platform): Promise<number> {
  let replaced = 0;
  for (const algorithm of SIGNING_ALGORITHMS) {
    const [newest] = await listNewestKeys(platform.db, algorithm);
    if (!newest || isOurs(platform, newest)) continue;
    await makeKey(platform, algorithm, newest.generation + 1);
    replaced++;
  }
  return replaced;
}

/** The newest key, or the one before it as long as clients that cache the key set may not know the newest. */
function keyInUse(platform: Platform, newest: SigningKey, before: SigningKey | undefined): OpenKey {
  const stillSigns = newest.announced && before && isOurs(platform, before);
  return decrypted(platform, stillSigns ? before : newest);
}

function isOurs({ keys }: Platform, { kid, privateSealed }: SigningKey): boolean {
  return keys.keyOf(privateSealed, sealOf(kid)) >= 0;
}

/** @throws Problem unavailable: no configured master key decrypts it */
function decrypted({ keys }: Platform, { kid, privateSealed }: SigningKey): OpenKey {
  return { kid, jwk: JSON.parse(keys.open(privateSealed, sealOf(kid))) };
}

async function makeKey({ db, keys }: Platform, algorithm: SigningAlgorithm, generation: number) {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import("jose");
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: 2048 });
  const publicJwk = await exportJWK(pair.publicKey);
  // RFC 7638: the id is derived from the key, so that no two keys share one.
  const kid = await calculateJwkThumbprint(publicJwk);
  const privateSealed = keys.seal(JSON.stringify(await exportJWK(pair.privateKey)), sealOf(kid));
  await insertSigningKey(db, { kid, algorithm, generation, publicJwk, privateSealed });
}
