/** Entity tags of lists, by which a client says which version it has (decision 0094). */
import { createHash } from "node:crypto";
import { VERSION } from "../platform/version.ts";

/**
 * The tag of what these parts determine. Weak: equal bytes are not promised, equal meaning is. `told` is sent again with a 304
 * and is part of the tag itself, since finding it anew would require reading events.
 * @param version of the service: another one may write the same records differently
 */
export function tagOf(parts: readonly unknown[], told = "", version = VERSION): string {
  const decided = JSON.stringify([version, parts, told]);
  return `W/"${createHash("sha256").update(decided).digest("base64url").slice(0, 27)}${told}"`;
}

/** The `told` of the tag that the client sent for these parts; undefined: none of its tags is for them. */
export function toldBy(given: string | undefined, parts: readonly unknown[]): string | undefined {
  for (const tag of given?.split(",") ?? []) {
    const [, bare, told = ""] = /^(?:W\/)?("[\w-]{27}([\w-]*)")$/.exec(tag.trim()) ?? [];
    if (bare !== undefined && tagOf(parts, told) === `W/${bare}`) return told;
  }
  return undefined;
}
