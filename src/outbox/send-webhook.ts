/** Sends a signed webhook (Standard Webhooks 1.0). */
import type { Platform } from "../platform/platform.ts";
import type { Outcome, Taken } from "./delivery.ts";
import { OUTBOX_SEAL, type WebhookContent } from "./message.ts";
import { postJson, urlOf } from "./post-json.ts";
import { signaturesOf } from "./signature.ts";

/** Headers that only we set. */
const OURS =
  /^(host|content-length|content-type|connection|transfer-encoding|webhook-.*|x-gatehouse-event)$/i;

/** Every try of a delivery has the same `webhook-id`; the timestamp is that of the try. */
export async function sendWebhook(platform: Platform, taken: Taken): Promise<Outcome> {
  const { body: value, event, headers = {}, url } = taken.content as WebhookContent;
  const body = JSON.stringify(value);
  const timestamp = String(Math.floor(taken.takenAt.getTime() / 1000));
  const ours: Record<string, string> = {
    "webhook-id": taken.messageId,
    "webhook-timestamp": timestamp,
    "x-gatehouse-event": event,
  };
  if (taken.sealedSecret) {
    const secrets = platform.keys.open(taken.sealedSecret, OUTBOX_SEAL);
    ours["webhook-signature"] = signaturesOf(secrets, { id: taken.messageId, timestamp, body });
  }
  const theirs = Object.fromEntries(Object.entries(headers).filter(([name]) => !OURS.test(name)));
  return postJson(platform, urlOf(platform, taken, url), body, { ...theirs, ...ours });
}
