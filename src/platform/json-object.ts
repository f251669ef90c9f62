/** Tells JSON objects from the other values that a body, a token or a payload may contain. */

/** A JSON object with unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object; lists and null are not. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
