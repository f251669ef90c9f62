/** Sends a signed webhook (Standard Webhooks 1.0). */
import type { Platform } from "../platform/platform.ts";
import type { Outcome, Taken } from "./delivery.ts";
import { OUTBOX_SEAL, type WebhookContent } from "./message.ts";
import { postJson, urlOf } from "./post.ts";
import { signaturesOf } from "./signature.ts";

/** Every try of a delivery has the same `webhook-id`; the timestamp is that of the try. */
export async function sendWebhook(platform: Platform, taken: Taken): Promise<Outcome> {
  const { body: value, event, url } = taken.content as WebhookContent;
  const body = JSON.stringify(value);
  const timestamp = String(Math.floor(taken.takenAt.getTime() / 1000));
  const headers: Record<string, string> = {
    "webhook-id": taken.messageId,
    "webhook-timestamp": timestamp,
    "x-gatehouse-event": event,
  };
  if (taken.sealedSecret) {
    const secrets = platform.keys.open(taken.sealedSecret, OUTBOX_SEAL);
    headers["webhook-signature"] = signaturesOf(secrets, { id: taken.messageId, timestamp, body });
  }
  return postJson(platform, urlOf(platform, taken, url), body, headers);
}
