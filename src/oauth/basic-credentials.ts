/** The credentials of an `Authorization: Basic` header, in both of the encodings that clients use. */
import { formDecoded } from "../platform/form-decoded.ts";
import { isUid } from "./uid.ts";

/** One reading of a header, not checked yet. */
export interface Credentials {
  id: string;
  /** Empty: none. */
  secret: string;
}

/** Whether an `Authorization` header has the scheme Basic, well-formed or not. */
export function isBasic(header: string): boolean {
  return /^basic(?:\s|$)/i.test(header);
}

/**
 * Whether a well-formed Basic header names a user who cannot be an application: that of a proxy or of a ~/.netrc (decision 0221).
 */
export function isOfNoApplication(header: string): boolean {
  const readings = readBasic(header);
  return readings.length > 0 && !readings.some(({ id }) => isUid(id));
}

/**
 * Returns the possible readings of a Basic header: form-decoded as RFC 6749 §2.3.1 requires, and undecoded if that differs. An
 * Application ID without a colon has no secret (decision 0016). Empty if the header is not Basic or is broken.
 */
export function readBasic(header: string): Credentials[] {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) return [];
  const bytes = Buffer.from(encoded, "base64");
  let pair: string;
  try {
    pair = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return [];
  }
  const colon = pair.indexOf(":");
  // Okta's library sends the id of a public application alone.
  if (colon < 0) return isUid(pair) ? [{ id: pair, secret: "" }] : [];
  const plain = { id: pair.slice(0, colon), secret: pair.slice(colon + 1) };
  const decoded = { id: formDecoded(plain.id), secret: formDecoded(plain.secret) };
  if (decoded.id === undefined || decoded.secret === undefined) return [plain];
  const same = decoded.id === plain.id && decoded.secret === plain.secret;
  return same ? [plain] : [decoded as Credentials, plain];
}
