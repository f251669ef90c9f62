/** Signatures by which the receiver of a webhook verifies its sender (Standard Webhooks 1.0). */
import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString("base64");
}

/**
 * The value of `webhook-signature`: one `v1` signature for each of the secrets, which are separated by spaces, so that a receiver
 * can change from one to the next. A secret without `whsec_` is used as text.
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
