/** The message of whatever chat, in the parts that matter here, and how a payload's members are read for it. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import type { Severity } from "../severity.ts";
import { ownValue } from "./member.ts";

/** What a message says, in whatever chat. */
export interface Message {
  chat: string;
  /** What stands in the place of a title. */
  headline?: string | undefined;
  texts: string[];
  /** Pairs of a name and a value that have a place of their own. */
  facts: [string, string][];
  links: unknown[];
  colour?: unknown;
  sender?: unknown;
  at?: unknown;
  tags?: string[];
  /** How urgent it is, where that is said by a number. */
  severity?: Severity | undefined;
}

/** Parts of one message that are read at most. */
export const MAX_PARTS = 50;

/** All names that may stand in a message; one more, and it is nobody's message. */
export const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

export function objectsIn(from: JsonObject, name: string): JsonObject[] {
  const list = Object.hasOwn(from, name) ? from[name] : undefined;
  return Array.isArray(list) ? list.filter(isObject).slice(0, MAX_PARTS) : [];
}

export function stringIn(from: JsonObject, name: string): string | undefined {
  const value = ownValue(from, name);
  return typeof value === "string" ? value : undefined;
}
