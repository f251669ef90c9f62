/** Form bodies, which some tools send instead of JSON: accepted from known tools only. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { Problem } from "../../platform/problem.ts";
import { readJsonText } from "../payload.ts";
import { toolOf } from "./known-tool.ts";
import { messageOf } from "./message-chats.ts";

const MAX_FIELDS = 200;

/** The error message for every other media type. */
export const ONLY_JSON = "415 Unsupported Media Type: send application/json.";

/** Whether a media type is that of a form. */
export function isForm(contentType: string | undefined): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded";
}

/**
 * Returns the fields of a form of a known tool, with NUL characters replaced: such tools cannot send JSON (decision 0124).
 * @throws Problem unsupported: a form of no known tool, or one sent to an endpoint that speaks another service's API, since
 *   the contract asks for JSON or 415 (contract-alerts, limits)
 */
export function formOf(body: Uint8Array, door: string | undefined): JsonObject {
  const text = new TextDecoder().decode(body);
  const pairs = text.split("&", MAX_FIELDS + 1).length > MAX_FIELDS ? [] : [...new URLSearchParams(text)];
  const fields = Object.fromEntries(
    pairs.map(([name, value]) => [name.replaceAll("\0", "\ufffd"), value.replaceAll("\0", "\ufffd")]),
  );
  if (door === undefined) {
    if (toolOf(fields, { form: true })) return fields;
    const message = messageIn(fields);
    if (message) return message;
  }
  throw new Problem("unsupported", ONLY_JSON);
}

/** Returns the JSON in `payload` (Slack's older webhooks, Papertrail), or Pushover's fields. @throws Problem invalid: not JSON */
function messageIn(fields: Readonly<Record<string, string>>): JsonObject | undefined {
  const { payload, token, user } = fields;
  if (payload?.trimStart().startsWith("{") && Object.keys(fields).length === 1) {
    const { value } = readJsonText(payload);
    return isObject(value) && (messageOf(value) || toolOf(value)) ? value : undefined;
  }
  return token !== undefined && user !== undefined && messageOf(fields) ? fields : undefined;
}
