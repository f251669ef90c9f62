/** Form bodies, which some tools send instead of JSON: accepted from known tools only. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { fieldsOfMultipart } from "../../platform/multipart.ts";
import { Problem } from "../../platform/problem.ts";
import { readJsonText } from "../payload.ts";
import { toolOf } from "./known-tool.ts";
import { messageOf } from "./message-chats.ts";

const MAX_FIELDS = 200;

/** The error message for every other media type. */
export const ONLY_JSON = "415 Unsupported Media Type: send application/json.";

/** Whether a media type is that of a form. */
export function isForm(contentType: string | undefined): boolean {
  return typeOf(contentType) === "application/x-www-form-urlencoded" || hasParts(contentType);
}

/** Whether a media type is that of a form with parts. */
export function hasParts(contentType: string | undefined): boolean {
  return typeOf(contentType) === "multipart/form-data";
}

function typeOf(contentType: string | undefined): string | undefined {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase();
}

/**
 * Returns the fields of a form of a known tool, with NUL characters replaced: such tools cannot send JSON (decisions 0124, 0282).
 * @throws Problem unsupported: a form of no known tool, or one sent to an endpoint that speaks another service's API, since
 *   the contract asks for JSON or 415 (contract-alerts, limits)
 */
export function formOf(body: Uint8Array, contentType: string, route: string | undefined): JsonObject {
  const pairs = hasParts(contentType) ? partsOf(body, contentType) : pairsOf(new TextDecoder().decode(body));
  const fields = Object.fromEntries(
    pairs.map(([name, value]) => [name.replaceAll("\0", "\ufffd"), value.replaceAll("\0", "\ufffd")]),
  );
  if (route === undefined) {
    if (toolOf(fields, { form: true })) return fields;
    const message = messageIn(fields);
    if (message) return message;
  }
  throw new Problem("unsupported", ONLY_JSON);
}

function pairsOf(text: string): [string, string][] {
  return text.split("&", MAX_FIELDS + 1).length > MAX_FIELDS ? [] : [...new URLSearchParams(text)];
}

/** Returns the fields of a form with parts; [] if it is malformed, which is refused like a form of no known tool. */
function partsOf(body: Uint8Array, contentType: string): [string, string][] {
  try {
    return fieldsOfMultipart(Buffer.from(body.buffer, body.byteOffset, body.length), contentType);
  } catch {
    return [];
  }
}

/**
 * Returns the JSON in `payload` (Slack's older webhooks, Papertrail) or `payload_json` (Discord's, beside files), or the fields
 * of Pushover or Gotify. @throws Problem invalid: not JSON
 */
function messageIn(fields: Readonly<Record<string, string>>): JsonObject | undefined {
  const { payload, payload_json: discord, token, user, message, priority } = fields;
  const json = Object.keys(fields).length === 1 ? (payload ?? discord) : undefined;
  if (json?.trimStart().startsWith("{")) {
    const { value } = readJsonText(json);
    return isObject(value) && (messageOf(value) || toolOf(value)) ? value : undefined;
  }
  if (token !== undefined && user !== undefined) return messageOf(fields) ? fields : undefined;
  // Gotify takes its number as text, too; a message without one could be anything.
  if (message === undefined || !/^-?\d{1,2}$/.test(priority ?? "")) return undefined;
  const numbered = { ...fields, priority: Number(priority) };
  return messageOf(numbered) ? numbered : undefined;
}
