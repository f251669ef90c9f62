/** Reads members of a forge's payload, any of which may be missing. */
import { cutText } from "../../platform/cut-text.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { ParameterProblem } from "../../platform/problem.ts";

/** The object at a path of members, or an empty one. */
export function part(payload: JsonObject, ...path: readonly string[]): JsonObject {
  let at: unknown = payload;
  for (const name of path) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return isObject(at) ? at : {};
}

/** The objects of a list. */
export function parts(payload: JsonObject, name: string): JsonObject[] {
  const list = payload[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Text that is not empty, cut to so many characters; characters that PostgreSQL cannot store become U+FFFD. */
export function textOf(
  payload: JsonObject,
  name: string,
  most = Number.MAX_SAFE_INTEGER,
): string | undefined {
  const value = payload[name];
  if (typeof value !== "string" || value === "") return undefined;
  return cutText(value.toWellFormed().replaceAll("\0", "\ufffd"), most);
}

/** The host of a web address. `URL.canParse` accepts some very long names that `new URL` does not. */
export function hostIn(address: string | undefined): string | undefined {
  return address === undefined ? undefined : URL.parse(address)?.host.toLowerCase();
}

/** A positive whole number. */
export function numberOf(payload: JsonObject, name: string): number | undefined {
  const value = payload[name];
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** A payload that must be an object. @throws ParameterProblem */
export function wholeOf(payload: unknown): JsonObject {
  if (isObject(payload)) return payload;
  throw new ParameterProblem(["The payload is not a JSON object"]);
}

/** The characters of a target's title that are kept. */
export const MAX_OF_TITLE = 1024;

/** The title of an issue, a request, a milestone and the like. */
export function titleOf(thing: JsonObject): string | undefined {
  return textOf(thing, "title", MAX_OF_TITLE);
}
