/** Reads members of a forge's payload without trusting that they are there. */

/** A JSON object of which nothing is known. */
export type Payload = Readonly<Record<string, unknown>>;

/** The object at a path of members, or an empty one. */
export function part(payload: Payload, ...path: readonly string[]): Payload {
  let at: unknown = payload;
  for (const name of path) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return isObject(at) ? at : {};
}

/** The objects of a list. */
export function parts(payload: Payload, name: string): Payload[] {
  const list = payload[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export function textOf(payload: Payload, name: string): string | undefined {
  const value = payload[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A positive whole number. */
export function numberOf(payload: Payload, name: string): number | undefined {
  const value = payload[name];
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

export function isObject(value: unknown): value is Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
