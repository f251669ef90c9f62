/** What Google Cloud's Pub/Sub pushes: the payload of another in a wrapping, read as when it comes by itself. */
import { isObject } from "../../platform/json-object.ts";
import { jsonWithin } from "../payload.ts";
import { objectIn, textOf } from "./member.ts";

const WRAPPING: ReadonlySet<string> = new Set(["message", "subscription", "deliveryAttempt"]);

/** A message that was pushed. */
interface Pushed {
  /** What it holds; text that is no JSON object as a payload of that title. */
  value: unknown;
  warnings: string[];
  /** By which a message that is pushed again is known. */
  messageId: string;
}

/** The message in such a wrapping; undefined for all else. */
export function pushedMessage(value: unknown): Pushed | undefined {
  if (!isObject(value) || !Object.keys(value).every((name) => WRAPPING.has(name))) return undefined;
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
