/** Initials on a colour: round for people, arches for applications and projects. */
import { type Html, html } from "./html.ts";

/** 1 is 22 px, 2 is 32 px, 3 is 36 px, 4 is 52 px; the default is 28 px. */
export type FaceSize = 1 | 2 | 3 | 4;

/** A person's initials; hidden from assistive technology, so the name must be beside it. */
export function face(name: string, size?: FaceSize): Html {
  return html`<span class="face h${hueOf(name)}${size && ` z${size}`}" aria-hidden="true">${initialsOf(name)}</span>`;
}

/** An application's or project's first letter in an arch; hidden from assistive technology. */
export function tile(name: string, size?: FaceSize): Html {
  return html`<span class="tile h${hueOf(name)}${size && ` z${size}`}" aria-hidden="true">${firstLetter(name)}</span>`;
}

/** One of six hues, which depends only on the name. */
export function hueOf(name: string): number {
  let hash = 2166136261;
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619);
  return ((hash >>> 8) % 6) + 1;
}

/** The first letters of the first and the last word, in capitals: "Maya van Lindqvist" gives ML. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== "");
  const first = words[0] ?? "?";
  const last = words.length > 1 ? (words.at(-1) ?? "") : "";
  return firstLetter(first) + (last === "" ? "" : firstLetter(last));
}

function firstLetter(word: string): string {
  const point = word.trim().codePointAt(0);
  return point === undefined ? "?" : String.fromCodePoint(point).toUpperCase();
}
