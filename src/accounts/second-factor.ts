/** The second factor: six-digit codes of an authenticator app (RFC 6238) and recovery codes. */
import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";

/** Seconds that one code counts. */
const PERIOD_SECONDS = 30;
/** Authenticator apps agree on this alone. */
const ALGORITHM = { algorithm: "SHA1", digits: 6, period: PERIOD_SECONDS } as const;
const RECOVERY_CODES = 10;

/** A new secret in base32, as people type it. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The `otpauth://` address that a QR code carries. */
export function otpauthUrl(secret: string, username: string): string {
  return new TOTP({
    ...ALGORITHM,
    issuer: "Gatehouse",
    label: username,
    secret: Secret.fromBase32(secret),
  }).toString();
}

/** The time step that a code belongs to, one step of drift allowed either way; undefined when it is wrong. */
export function stepOfCode(secret: string, code: string, nowSeconds: number): number | undefined {
  const digits = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return undefined;
  const totp = new TOTP({ ...ALGORITHM, secret: Secret.fromBase32(secret) });
  const drift = totp.validate({ token: digits, window: 1, timestamp: nowSeconds * 1000 });
  return drift === null ? undefined : Math.floor(nowSeconds / PERIOD_SECONDS) + drift;
}

/** Ten recovery codes of 80 bits, written in groups: `k3vn-7q2c-mw4x-a5tp`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const word = new Secret({ buffer: new Uint8Array(randomBytes(10)).buffer }).base32.toLowerCase();
    return (word.match(/.{4}/g) ?? []).join("-");
  });
}

/** A recovery code as it is digested: without the spaces, dashes and capitals that people type. */
export function plainRecoveryCode(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, "");
}

/** What the secret of a user is sealed to, so that it opens in no other row. */
export function totpContext(userId: number): string {
  return `users:${userId}:totp`;
}
