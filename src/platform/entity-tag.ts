/** Compares entity tags as a conditional request asks for it. */

/**
 * Whether the client's `If-None-Match` names the tag. The comparison is weak (RFC 9110 §13.1.2): a proxy that compresses a
 * response makes its tag weak, and the client returns that one.
 */
export function matchesTag(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false;
  const opaque = opaqueOf(etag);
  return given.trim() === "*" || given.split(",").some((tag) => opaqueOf(tag) === opaque);
}

function opaqueOf(tag: string): string {
  return tag.trim().replace(/^W\//, "");
}
