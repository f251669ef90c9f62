/** Signatures of webhooks by which their receiver knows them as ours (Standard Webhooks 1.0). */
import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString("base64");
}

/**
 * The value of `webhook-signature`: one `v1` signature for each of the secrets, which are parted by spaces, so that a
 * receiver may change over from one to the next. A secret without `whsec_` counts as it is written.
 */
export function signatureOf(
  secrets: string,
  messageId: string,
  timestampSeconds: number,
  body: string,
): string {
  return secrets
    .split(" ")
    .filter(Boolean)
    .map((secret) => {
      const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : secret;
      const signed = createHmac("sha256", key).update(`${messageId}.${timestampSeconds}.${body}`);
      return `v1,${signed.digest("base64")}`;
    })
    .join(" ");
}
