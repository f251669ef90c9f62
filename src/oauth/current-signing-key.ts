/** The key that signs now; the first use makes it, and the first after a key grew old makes the next. */
import type { CryptoKey } from "jose";
import type { Platform } from "../platform/platform.ts";
import { type SigningAlgorithm, type SigningKey, sealOf } from "./signing-key.ts";
import { insertSigningKey, listNewestKeys } from "./store-openid.ts";

/** A key that is ready to sign. */
export interface ReadyKey {
  kid: string;
  key: CryptoKey | Uint8Array;
}

/**
 * Of several processes that find no key, or an old one, each makes the next, and all sign with the one that was stored; a
 * key that is there already signs until the next has been published for a day (OpenID Connect Core §10.1.1; decision 0017).
 */
export async function currentSigningKey(platform: Platform, algorithm: SigningAlgorithm): Promise<ReadyKey> {
  const { db, log } = platform;
  const [newest, before] = await listNewestKeys(db, algorithm);
  const ready = newest && (await known(platform, newest, before));
  if (ready && !newest.old) return ready;
  if (newest && !ready) {
    const { kid } = newest;
    log.warn({ kid }, "a signing key cannot be opened with this master key; the next one takes its place");
  }
  await makeKey(platform, algorithm, (newest?.generation ?? 0) + 1);
  if (ready) return ready;
  const [made] = await listNewestKeys(db, algorithm);
  const now = made && (await opened(platform, made));
  if (!now) throw new Error(`no usable key for ${algorithm}`);
  return now;
}

/** The newest key, or the one before it for as long as the newest may be unknown to who keeps the key set. */
async function known(
  platform: Platform,
  newest: SigningKey,
  before: SigningKey | undefined,
): Promise<ReadyKey | undefined> {
  const still = newest.announced && before ? await opened(platform, before) : undefined;
  return still ?? opened(platform, newest);
}

/** Undefined when the master key is another than the one it was sealed under: then it can only be replaced. */
async function opened({ keys }: Platform, stored: SigningKey): Promise<ReadyKey | undefined> {
  const { kid, algorithm, privateSealed } = stored;
  const { importJWK } = await import("jose");
  try {
    const jwk = JSON.parse(keys.open(privateSealed, sealOf(kid)));
    return { kid, key: await importJWK(jwk, algorithm) };
  } catch {
    return undefined;
  }
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
