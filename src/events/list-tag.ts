/** Tags of lists, by which a client says what it has already (decision 0094). */
import { createHash } from "node:crypto";
import { VERSION } from "../platform/version.ts";

/**
 * The tag of what these parts decide. Weak: equal bytes are not promised, equal meaning is. `told` is said again with a
 * 304 and stands in the tag itself, because finding it anew would take reading events.
 * @param version of the service: another may write the same records otherwise
 */
export function tagOf(parts: readonly unknown[], told = "", version = VERSION): string {
  const decided = JSON.stringify([version, parts, told]);
  return `W/"${createHash("sha256").update(decided).digest("base64url").slice(0, 27)}${told}"`;
}

/** What a tag that the client names tells beside these parts; undefined: none of its tags is of them. */
export function toldBy(given: string | undefined, parts: readonly unknown[]): string | undefined {
  for (const tag of given?.split(",") ?? []) {
    const [, bare, told = ""] = /^(?:W\/)?("[\w-]{27}([\w-]*)")$/.exec(tag.trim()) ?? [];
    if (bare !== undefined && tagOf(parts, told) === `W/${bare}`) return told;
  }
  return undefined;
}

/** Whether the client's `If-None-Match` names the tag (RFC 9110 §13.1.2). */
export function isKnown(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false;
  return (
    given.trim() === "*" || given.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag.slice(2))
  );
}
