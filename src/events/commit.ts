/** A commit of a push as its sender names it, without anybody's mail address. */
import { parseInstant } from "../platform/instant.ts";
import type { JsonObject } from "../platform/json-object.ts";

/** What is stored of a commit; members are named as in the database and in answers. */
export interface PushedCommit {
  id: string;
  /** The first line of its message. */
  title: string;
  author_name?: string;
  /** As sent. */
  timestamp?: string;
}

/** The newest commits of a push, of which so many are stored. */
const MAX_KEPT = 20;

/**
 * The commit in an object of a forge or of the write API: `id` or `sha`, `title` or `message`, `author_name` or
 * `author.name`, `timestamp`. Undefined: it is none.
 */
export function readCommit(value: unknown): PushedCommit | undefined {
  const given = membersOf(value);
  const id = given.id ?? given.sha;
  if (typeof id !== "string" || !/^[0-9a-f]{1,64}$/i.test(id)) return undefined;
  const name = given.author_name ?? membersOf(given.author).name;
  const authorName = typeof name === "string" ? nameOf(name) : "";
  const { timestamp } = given;
  return {
    id,
    title: titleOf(given.title ?? given.message),
    ...(authorName !== "" && { author_name: authorName }),
    ...(typeof timestamp === "string" && timestamp.length <= 64 && parseInstant(timestamp) && { timestamp }),
  };
}

/** The newest commits of a list in the order of the push, oldest first; what is not a commit is left out. */
export function newestCommits(list: unknown): PushedCommit[] {
  if (!Array.isArray(list)) return [];
  return list.slice(-MAX_KEPT).flatMap((value) => readCommit(value) ?? []);
}

function titleOf(message: unknown): string {
  if (typeof message !== "string") return "";
  return stored((message.split(/\r\n|\r|\n/, 1)[0] ?? "").trim(), 255);
}

/**
 * Removes mail addresses from a name. Each word is tested by itself: one expression for a whole address would start anew at
 * every character of a long name without one.
 */
function nameOf(name: string): string {
  const shown = name.replace(/<?[^\s<>]+>?/g, (word) => (/[^\s<>]@[^\s<>]/.test(word) ? "" : word));
  return stored(shown.trim(), 255);
}

/**
 * At most `most` characters, without NUL and lone surrogates, which PostgreSQL cannot store. A character is at most two UTF-16
 * units.
 */
function stored(text: string, most: number): string {
  return [
    ...text
      .replaceAll("\0", "")
      .slice(0, 2 * most)
      .toWellFormed(),
  ]
    .slice(0, most)
    .join("");
}

function membersOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
