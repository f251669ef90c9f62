/** Members of a payload by name whatever its case and separators: `HOST_NAME`, `hostName` and `host-name` are one. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { textOf } from "./member.ts";

/** A payload with more names than this is searched by the names as they are alone. */
const MAX_NAMES = 500;

/** What stands where a macro of Nagios or Zabbix would, had it a value there. */
const MACRO = /^(\$[A-Z_:]+\$|\{[A-Z]+\.[A-Z0-9.]+\})$/;

/** A name without case and separators; `NOTIFY_` is what Checkmk puts before the names of Nagios. */
export function foldedName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^notify_/, "")
    .replace(/[^a-z0-9@]/g, "");
}

const known = new WeakMap<JsonObject, ReadonlyMap<string, unknown>>();

/** The values of an object by folded name; of two names that fold alike the first. Folded once, however often it is asked. */
export function foldedMembers(from: JsonObject): ReadonlyMap<string, unknown> {
  const before = known.get(from);
  if (before) return before;
  const names = Object.keys(from);
  const folded = new Map<string, unknown>();
  known.set(from, folded);
  if (names.length > MAX_NAMES) return folded;
  for (const name of names) {
    const key = foldedName(name);
    if (!folded.has(key)) folded.set(key, from[name]);
  }
  return folded;
}

/**
 * The first value that holds something at these places: folded names with dots between levels, `|` between places.
 * Macros that a tool had no value for (`$SERVICEDESC$`, `{HOST.NAME}`, `*UNKNOWN*`) hold nothing.
 */
export function valueIn(members: ReadonlyMap<string, unknown>, places: string): unknown {
  for (const steps of stepsOf(places)) {
    const value = at(members, steps);
    const text = textOf(value)?.trim();
    if (text !== undefined && !["", "[]", "{}", "*UNKNOWN*"].includes(text) && !MACRO.test(text))
      return value;
  }
  return undefined;
}

/** Whether one of these places stands in the payload, be it empty. */
export function standsIn(members: ReadonlyMap<string, unknown>, places: string): boolean {
  return stepsOf(places).some((steps) => at(members, steps) !== undefined);
}

const split = new Map<string, readonly (readonly string[])[]>();

/** The steps to each of these places, which tables name: split once, for what is nobody's is asked for all of them. */
function stepsOf(places: string): readonly (readonly string[])[] {
  const before = split.get(places);
  if (before) return before;
  const steps = places.split("|").map((place) => place.split("."));
  split.set(places, steps);
  return steps;
}

function at(members: ReadonlyMap<string, unknown>, steps: readonly string[]): unknown {
  let value = members.get(steps[0] ?? "");
  if (value === undefined || steps.length === 1) return value;
  for (const step of steps.slice(1)) {
    if (Array.isArray(value)) value = /^\d+$/.test(step) ? value[Number(step)] : undefined;
    else value = isObject(value) ? foldedMembers(value).get(step) : undefined;
  }
  return value;
}
