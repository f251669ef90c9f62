/** The message that a redirect passes to the next page, encrypted while the session stores it. */
import type { Platform } from "../platform/platform.ts";

/** What a redirect passes to the next page: a message, or a secret shown once. */
export interface Flash {
  kind: "ok" | "bad" | "note";
  text: string;
  /** Shown once by the page that expects them. */
  secrets?: Readonly<Record<string, string>>;
}

/** Encrypts the message for the session. */
export function sealFlash({ keys }: Platform, flash: Flash): Buffer {
  return keys.seal(JSON.stringify(flash), "flash");
}

/** Decrypts the message; undefined if its key was dropped. */
export function openFlash(platform: Platform, sealed: Buffer): Flash | undefined {
  try {
    return JSON.parse(platform.keys.open(sealed, "flash"));
  } catch {
    // A lost message is no reason to refuse the page.
    return undefined;
  }
}
