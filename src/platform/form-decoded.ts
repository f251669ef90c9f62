/** Decodes single values of `application/x-www-form-urlencoded` that the framework does not decode. */

/** Returns the decoded text; undefined if its percent-encoding or UTF-8 is broken. */
export function formDecoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
