/** The second factor: six-digit codes of an authenticator app (RFC 6238) and recovery codes. */
import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";

/** How long a code is valid, in seconds. */
const PERIOD_SECONDS = 30;
/** The only parameters that all authenticator apps support. */
const ALGORITHM = { algorithm: "SHA1", digits: 6, period: PERIOD_SECONDS } as const;
const RECOVERY_CODES = 10;

/** A new secret in base32, as people type it. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** Returns the `otpauth://` address for the QR code. */
export function otpauthUrl(secret: string, username: string): string {
  return new TOTP({
    ...ALGORITHM,
    issuer: "Gatehouse",
    label: username,
    secret: Secret.fromBase32(secret),
  }).toString();
}

/** Returns the time step of a code, with one step of drift allowed either way; undefined if the code is wrong. */
export function stepOfCode(secret: string, code: string, nowSeconds: number): number | undefined {
  const digits = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return undefined;
  const totp = new TOTP({ ...ALGORITHM, secret: Secret.fromBase32(secret) });
  const drift = totp.validate({ token: digits, window: 1, timestamp: nowSeconds * 1000 });
  return drift === null ? undefined : Math.floor(nowSeconds / PERIOD_SECONDS) + drift;
}

/**
 * Creates ten recovery codes of 120 bits, so many that the digest of one can be stored without a slow hash (ASVS 6.5.2), written in
 * groups: `k3vn-7q2c-mw4x-a5tp-h6dz-q3ju`.
 */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const word = new Secret({ buffer: new Uint8Array(randomBytes(15)).buffer }).base32.toLowerCase();
    return (word.match(/.{4}/g) ?? []).join("-");
  });
}

/** Normalises a recovery code before it is hashed: removes spaces and dashes, and ignores case. */
export function plainRecoveryCode(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, "");
}

/** The context in which a user's secret is encrypted, so that it cannot be decrypted in another row. */
export function totpContext(userId: number): string {
  return `users:${userId}:totp`;
}
