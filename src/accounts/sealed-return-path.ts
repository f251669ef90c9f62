/** Seals the return path of a sign-in while a session or a form keeps it, since an address may contain a token or the secret of a link. */
import type { Platform } from "../platform/platform.ts";

/** Part of what is sealed already, and therefore never another word. */
const CONTEXT = "way back";

/** As it is kept; nobody else can write it. */
export function sealReturnPath({ keys }: Platform, path: string): string {
  return keys.seal(path, CONTEXT).toString("base64url");
}

/** The path again; undefined: sealed with a key that is gone, or kept before return paths were sealed. */
export function openReturnPath({ keys }: Platform, sealed: string): string | undefined {
  return keys.openIfOurs(Buffer.from(sealed, "base64url"), CONTEXT);
}
