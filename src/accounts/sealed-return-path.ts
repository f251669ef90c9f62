/** Encrypts the return path of a sign-in while a session or form keeps it, since it may contain a token or a secret. */
import type { Platform } from "../platform/platform.ts";

/** Part of the encrypted values, so it must never change. */
const CONTEXT = "way back";

/** Encrypts the path for a session or form; nobody else can create such a value. */
export function sealReturnPath({ keys }: Platform, path: string): string {
  return keys.seal(path, CONTEXT).toString("base64url");
}

/** Decrypts the path; undefined if its key was dropped, or it was stored before return paths were encrypted. */
export function openReturnPath({ keys }: Platform, sealed: string): string | undefined {
  return keys.openIfOurs(Buffer.from(sealed, "base64url"), CONTEXT);
}
