/** The decoding of `application/x-www-form-urlencoded`, for single values that the framework does not decode. */

/** The text that is encoded; undefined: a broken percent-encoding, or not UTF-8. */
export function formDecoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
