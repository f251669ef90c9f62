/** The key that signs now; the first use makes it, and the first after a key grew old makes the next. */
import type { CryptoKey, JWK } from "jose";
import type { Platform } from "../platform/platform.ts";
import { SIGNING_ALGORITHMS, type SigningAlgorithm, type SigningKey, sealOf } from "./signing-key.ts";
import { insertSigningKey, listNewestKeys } from "./store-openid.ts";

/** A key that is ready to sign. */
export interface ReadyKey {
  kid: string;
  key: CryptoKey | Uint8Array;
}

/** A key as it is stored, with its private part. */
interface OpenKey {
  kid: string;
  jwk: JWK;
}

/**
 * Of several processes that find no key, or an old one, each makes the next, and all sign with the one that was stored; a
 * key that is there already signs until the next has been published for a day (OpenID Connect Core §10.1.1; decision 0017).
 * @throws Problem unavailable where this process has another master key than those who sealed it, whom it leaves alone (decision 0211)
 */
export async function currentSigningKey(platform: Platform, algorithm: SigningAlgorithm): Promise<ReadyKey> {
  const { kid, jwk } = await keepSigningKey(platform, algorithm);
  const { importJWK } = await import("jose");
  return { kid, key: await importJWK(jwk, algorithm) };
}

/** The same without making it ready: sees to it that there is one, and that the next comes in time. */
export async function keepSigningKey(platform: Platform, algorithm: SigningAlgorithm): Promise<OpenKey> {
  const [newest, before] = await listNewestKeys(platform.db, algorithm);
  if (!newest) {
    await makeKey(platform, algorithm, 1);
    const [made] = await listNewestKeys(platform.db, algorithm);
    if (!made) throw new Error(`no key for ${algorithm}`);
    return opened(platform, made);
  }
  const key = known(platform, newest, before);
  if (newest.old) await makeKey(platform, algorithm, newest.generation + 1);
  return key;
}

/** Makes the one that must be there to be published. Returns whether there was none. */
export async function makeFirstSigningKey(platform: Platform, algorithm: SigningAlgorithm): Promise<boolean> {
  const [newest] = await listNewestKeys(platform.db, algorithm);
  if (!newest) await makeKey(platform, algorithm, 1);
  return newest === undefined;
}

/** Puts the next key in the place of each that opens with no master key which is here. Returns how many those were. */
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

/** The newest key, or the one before it for as long as the newest may be unknown to who keeps the key set. */
function known(platform: Platform, newest: SigningKey, before: SigningKey | undefined): OpenKey {
  const stillSigns = newest.announced && before && isOurs(platform, before);
  return opened(platform, stillSigns ? before : newest);
}

function isOurs({ keys }: Platform, { kid, privateSealed }: SigningKey): boolean {
  return keys.keyOf(privateSealed, sealOf(kid)) >= 0;
}

/** @throws Problem unavailable when no master key that is here opens it */
function opened({ keys }: Platform, { kid, privateSealed }: SigningKey): OpenKey {
  return { kid, jwk: JSON.parse(keys.open(privateSealed, sealOf(kid))) };
}

async function makeKey({ db, keys }: Platform, algorithm: SigningAlgorithm, generation: number) {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import("jose");
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: 2048 });
  const publicJwk = await exportJWK(pair.publicKey);
  // RFC 7638: the name follows from the key, so that no two keys share one.
  const kid = await calculateJwkThumbprint(publicJwk);
  const privateSealed = keys.seal(JSON.stringify(await exportJWK(pair.privateKey)), sealOf(kid));
  await insertSigningKey(db, { kid, algorithm, generation, publicJwk, privateSealed });
}
