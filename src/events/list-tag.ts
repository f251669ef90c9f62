/** Tags of lists, by which a client says what it has already (decision 0094). */
import { createHash } from "node:crypto";

/** The tag of what these parts decide. Weak: equal bytes are not promised, equal meaning is. */
export function tagOf(parts: readonly unknown[]): string {
  return `W/"${createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 27)}"`;
}

/** Whether the client's `If-None-Match` names the tag (RFC 9110 §13.1.2). */
export function isKnown(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false;
  return (
    given.trim() === "*" || given.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag.slice(2))
  );
}
