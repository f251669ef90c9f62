/** Looks up members of a payload regardless of case and separators: `HOST_NAME`, `hostName` and `host-name` are the same. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { textOf } from "./member.ts";

/** An object with more members than this is not folded; none of its members is found. */
const MAX_NAMES = 500;

/** Matches a macro that Nagios or Zabbix left in place because it had no value. */
const MACRO = /^(\$[A-Z_:]+\$|\{[A-Z]+\.[A-Z0-9.]+\})$/;

/** Returns a name in lower case without separators and without `NOTIFY_`, the prefix of Checkmk's variables. */
export function foldedName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^notify_/, "")
    .replace(/[^a-z0-9@]/g, "");
}

const foldedObjects = new WeakMap<JsonObject, ReadonlyMap<string, unknown>>();

/** Returns an object's values by folded name, the first where names collide; the result is cached per object. */
export function foldedMembers(from: JsonObject): ReadonlyMap<string, unknown> {
  const cached = foldedObjects.get(from);
  if (cached) return cached;
  const names = Object.keys(from);
  const folded = new Map<string, unknown>();
  foldedObjects.set(from, folded);
  if (names.length > MAX_NAMES) return folded;
  for (const name of names) {
    const key = foldedName(name);
    if (!folded.has(key)) folded.set(key, from[name]);
  }
  return folded;
}

/**
 * Returns the first non-empty value at these places: folded names with dots between levels, `|` between places.
 * Macros without a value (`$SERVICEDESC$`, `{HOST.NAME}`, `*UNKNOWN*`) count as empty.
 */
export function valueIn(members: ReadonlyMap<string, unknown>, places: string): unknown {
  for (const steps of stepsOf(places)) {
    const value = valueAtPath(members, steps);
    const text = textOf(value)?.trim();
    if (text !== undefined && !["", "[]", "{}", "*UNKNOWN*"].includes(text) && !MACRO.test(text))
      return value;
  }
  return undefined;
}

/** Whether one of these places exists in the payload, even if it is empty. */
export function standsIn(members: ReadonlyMap<string, unknown>, places: string): boolean {
  return stepsOf(places).some((steps) => valueAtPath(members, steps) !== undefined);
}

const splitPlaces = new Map<string, readonly (readonly string[])[]>();

/** Returns the path of each place; cached, since a payload of no known tool is checked against every place of the tables. */
function stepsOf(places: string): readonly (readonly string[])[] {
  const cached = splitPlaces.get(places);
  if (cached) return cached;
  const steps = places.split("|").map((place) => place.split("."));
  splitPlaces.set(places, steps);
  return steps;
}

function valueAtPath(members: ReadonlyMap<string, unknown>, steps: readonly string[]): unknown {
  let value = members.get(steps[0] ?? "");
  if (value === undefined || steps.length === 1) return value;
  for (const step of steps.slice(1)) {
    if (Array.isArray(value)) value = /^\d+$/.test(step) ? value[Number(step)] : undefined;
    else value = isObject(value) ? foldedMembers(value).get(step) : undefined;
  }
  return value;
}
