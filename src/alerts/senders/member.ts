/** Single members of a payload as the record keeps them: text cut to length, hosts as a list. */
import { cutText } from "../../platform/cut-text.ts";
import { entryOf } from "../../platform/entry-of.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { type Severity, severityOfLabel } from "../severity.ts";

/** Takes what a reader wants the sender to know. */
export type Warn = (text: string) => void;

/** What a payload without a title is called. */
export const UNTITLED = "New: Alert";

const MAX_HOSTS = 1000;
const MAX_HOST_LENGTH = 255;

/** Text of a value: strings as they are, numbers and booleans written out, anything else as JSON; null when there is none. */
export function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Text cut to `max` characters, the last three of them dots; null when there is none or it is blank. */
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

/** Hosts as a list without repeats: a string, a number, or lists of them however deep. */
export function hostList(value: unknown, warn: Warn): string[] {
  const hosts = new Set<string>();
  let left = false;
  let strange = false;
  let long = false;
  const add = (item: unknown): void => {
    if (Array.isArray(item)) for (const inner of item) add(inner);
    else if (typeof item === "string" || typeof item === "number" || typeof item === "boolean") {
      const host = String(item).trim();
      if (host === "") return;
      const short = host.length > MAX_HOST_LENGTH ? [...host].slice(0, MAX_HOST_LENGTH).join("") : host;
      if (short !== host) long = true;
      if (hosts.size >= MAX_HOSTS) left = true;
      else hosts.add(short);
    } else if (item !== null && item !== undefined) strange = true;
  };
  add(value);
  if (strange) warn("hosts holds something that is no host; it was left out.");
  if (long) warn(`A host is longer than ${MAX_HOST_LENGTH} characters; the payload keeps the whole.`);
  if (left) warn(`More than ${MAX_HOSTS} hosts; the payload keeps all.`);
  return [...hosts];
}

/** The object at a name, an empty one where there is none. */
export function objectIn(from: JsonObject, name: string): JsonObject {
  const value = ownValue(from, name);
  return isObject(value) ? value : {};
}

/** The first member of these names that holds something; never a prototype's. */
export function ownValue(from: JsonObject, ...names: string[]): unknown {
  return names.map((name) => entryOf(from, name)).find((value) => textOf(value)?.trim());
}

/** An address of the web among these values, at most 2,000 characters; null when there is none. */
export function webAddress(...values: unknown[]): string | null {
  const found = values.find((value) => typeof value === "string" && /^https?:\/\//i.test(value.trim()));
  return typeof found === "string" ? cutText(found.trim(), 2000) : null;
}

/** A severity in any tool's words; `otherwise` for none and, with a warning, for a word that nobody knows. */
export function severityWord(value: unknown, otherwise: Severity, warn: Warn, name = "severity"): Severity {
  if (value === undefined || value === null || value === "") return otherwise;
  const known = severityOfLabel(value);
  if (!known) warn(`${name} holds a word that is not known; ${otherwise} is used.`);
  return known ?? otherwise;
}
