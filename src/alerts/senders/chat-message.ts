/** The common form of chat messages, and helpers that read a payload's members. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import type { Severity } from "../severity.ts";
import { ownValue } from "./member.ts";

/** A message of any chat. */
export interface Message {
  chat: string;
  /** The title, if the chat has one. */
  headline?: string | undefined;
  texts: string[];
  /** Pairs of name and value that the chat's format has fields for. */
  facts: [string, string][];
  links: unknown[];
  colour?: unknown;
  sender?: unknown;
  at?: unknown;
  tags?: string[];
  /** The state that the sender gives in a member of its own, which takes precedence over the words of its texts. */
  isOver?: boolean | undefined;
  /** The severity that the chat's priority stands for. */
  severity?: Severity | undefined;
  /**
   * Any payload may have members of these names. With a title it is one of the specification, unless its headline states a
   * status (decision 0309).
   */
  hasCommonNames?: boolean;
}

/** The most parts of one message that are read. */
export const MAX_PARTS = 50;

/** Returns the member names of a chat's messages; a payload with any other member is not a message of that chat. */
export const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

export function objectsIn(from: JsonObject, name: string): JsonObject[] {
  const list = Object.hasOwn(from, name) ? from[name] : undefined;
  return Array.isArray(list) ? list.filter(isObject).slice(0, MAX_PARTS) : [];
}

export function stringIn(from: JsonObject, name: string): string | undefined {
  const value = ownValue(from, name);
  return typeof value === "string" ? value : undefined;
}

/** Returns the texts at these names that are there. */
export function textIn(from: JsonObject, ...names: string[]): string[] {
  return names.flatMap((name) => stringIn(from, name) ?? []);
}
