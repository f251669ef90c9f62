/** The way back to a page, sealed while a session or a sign-in form keeps it: a token or the secret of a link may stand in an address. */
import type { Platform } from "../platform/platform.ts";

const CONTEXT = "way back";

/** As it is kept; nobody else can write it. */
export function sealWay({ keys }: Platform, path: string): string {
  return keys.seal(path, CONTEXT).toString("base64url");
}

/** The path again; undefined: sealed with a key that is gone, or kept before ways were sealed. */
export function openWay({ keys }: Platform, sealed: string): string | undefined {
  return keys.openIfOurs(Buffer.from(sealed, "base64url"), CONTEXT);
}
