/** Tells JSON objects from the other values that a body, a token or a payload may hold. */

/** A JSON object of whose members nothing is known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether it is a JSON object; lists and null are none. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
