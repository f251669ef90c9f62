/** Push messages of Google Cloud Pub/Sub, whose data is read like the same payload without the envelope. */
import { isObject } from "../../platform/json-object.ts";
import { jsonWithin } from "../payload.ts";
import { objectIn, textOf } from "./member.ts";

const ENVELOPE: ReadonlySet<string> = new Set(["message", "subscription", "deliveryAttempt"]);

interface Pushed {
  /** The message's JSON object; for other text, a payload with the text as its title and description. */
  value: unknown;
  warnings: string[];
  /** Identifies a message that is pushed again. */
  messageId: string;
}

/** Returns the message of a push request; undefined for other payloads. */
export function pushedMessage(value: unknown): Pushed | undefined {
  if (!isObject(value) || !Object.keys(value).every((name) => ENVELOPE.has(name))) return undefined;
  const { subscription } = value;
  const { data, messageId, message_id: older } = objectIn(value, "message");
  const id = textOf(messageId ?? older);
  if (typeof subscription !== "string" || !/^projects\/[^/]+\/subscriptions\//.test(subscription))
    return undefined;
  if (typeof data !== "string" || id === null) return undefined;
  const text = Buffer.from(data, "base64").toString("utf8").replaceAll("\0", "\ufffd");
  const read = jsonWithin(text);
  const own = isObject(read?.value) ? read : undefined;
  return {
    value: own ? own.value : { title: text.trim().split("\n", 1)[0], description: text },
    warnings: own?.warnings ?? [],
    messageId: JSON.stringify([subscription, id]),
  };
}
