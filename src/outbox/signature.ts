/** Signatures by which the receiver of a webhook verifies its sender (Standard Webhooks 1.0). */
import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString("base64");
}

/** What a signature covers. */
export interface SignedMessage {
  /** The values of `webhook-id` and `webhook-timestamp`. */
  id: string;
  timestamp: string;
  body: string | Buffer;
}

/**
 * The value of `webhook-signature`: one `v1` signature for each of the secrets, which are separated by spaces, so that a receiver
 * can change from one to the next.
 */
export function signaturesOf(secrets: string, message: SignedMessage): string {
  return secrets
    .split(" ")
    .filter(Boolean)
    .map((secret) => signatureOf(secret, message))
    .join(" ");
}

/** The `v1` signature by one secret; one without `whsec_` is used as text. */
export function signatureOf(secret: string, { id, timestamp, body }: SignedMessage): string {
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : secret;
  const signed = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
  return `v1,${signed.digest("base64")}`;
}
