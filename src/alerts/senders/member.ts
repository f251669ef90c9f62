/** Converts single members of a payload for the record: text cut to length, hosts as a list. */
import { cutText } from "../../platform/cut-text.ts";
import { entryOf } from "../../platform/entry-of.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { type Severity, severityOfLabel } from "../severity.ts";

/** Collects a warning for the sender. */
export type Warn = (text: string) => void;

/** The most characters of an alert's texts and link; longer ones are cut, and the payload keeps the whole. */
export const LONGEST = { title: 200, description: 1000, service: 100, tool: 100, link: 2000 } as const;

/** The title of an alert whose payload has none. */
export const UNTITLED = "New: Alert";

const MAX_HOSTS = 1000;
const MAX_HOST_LENGTH = 255;

/** Returns a value as text: strings as they are, numbers and booleans converted, others as JSON; null if there is none. */
export function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns text of at most `max` characters, ending with `...` if it is cut; null if it is missing or blank. */
export function shortText(name: string, value: unknown, max: number, warn: Warn): string | null {
  const text = textOf(value)?.trim();
  if (!text) return null;
  if (typeof value !== "string") warn(`${name} is not a string; it is shown as text.`);
  if (text.length <= max) return text;
  // Cutting by code points leaves no half of a surrogate pair behind.
  const points = [...text.slice(0, max * 2)];
  if (points.length <= max && text.length <= max * 2) return text;
  warn(`${name} is longer than ${max} characters; the payload keeps the whole.`);
  return `${points.slice(0, max - 3).join("")}...`;
}

/** Returns hosts without duplicates, from a string, a number or a boolean, or from lists of them, nested to any depth. */
export function hostList(value: unknown, warn: Warn): string[] {
  const hosts = new Set<string>();
  let isTooMany = false;
  let hasOtherType = false;
  let isCut = false;
  const add = (item: unknown): void => {
    if (Array.isArray(item)) for (const inner of item) add(inner);
    else if (typeof item === "string" || typeof item === "number" || typeof item === "boolean") {
      const host = String(item).trim();
      if (host === "") return;
      const short = host.length > MAX_HOST_LENGTH ? [...host].slice(0, MAX_HOST_LENGTH).join("") : host;
      if (short !== host) isCut = true;
      if (hosts.size >= MAX_HOSTS) isTooMany = true;
      else hosts.add(short);
    } else if (item !== null && item !== undefined) hasOtherType = true;
  };
  add(value);
  if (hasOtherType) warn("hosts holds something that is no host; it was left out.");
  if (isCut) warn(`A host is longer than ${MAX_HOST_LENGTH} characters; the payload keeps the whole.`);
  if (isTooMany) warn(`More than ${MAX_HOSTS} hosts; the payload keeps all.`);
  return [...hosts];
}

/** Returns the object at a name, or an empty object. */
export function objectIn(from: JsonObject, name: string): JsonObject {
  const value = ownValue(from, name);
  return isObject(value) ? value : {};
}

/** Returns the first non-blank own member of these names; never one of the prototype. */
export function ownValue(from: JsonObject, ...names: string[]): unknown {
  return names.map((name) => entryOf(from, name)).find((value) => textOf(value)?.trim());
}

/** Returns the first HTTP(S) URL among these values, cut to 2,000 characters; null if there is none. */
export function webAddress(...values: unknown[]): string | null {
  const found = values.find((value) => typeof value === "string" && /^https?:\/\//i.test(value.trim()));
  return typeof found === "string" ? cutText(found.trim(), LONGEST.link) : null;
}

/** Returns the severity for any tool's word; `otherwise` if there is none and, with a warning, if it is unknown. */
export function severityWord(value: unknown, otherwise: Severity, warn: Warn, name = "severity"): Severity {
  if (value === undefined || value === null || value === "") return otherwise;
  const known = severityOfLabel(value);
  if (!known) warn(`${name} holds a word that is not known; ${otherwise} is used.`);
  return known ?? otherwise;
}
