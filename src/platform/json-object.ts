/** Tells JSON objects from the other values that a body, a token or a payload may hold. */

/** Whether it is a JSON object of which nothing is known; neither a list nor null is one. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
