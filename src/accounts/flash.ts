/** The message that one redirect passes on to the next page, sealed while the session keeps it. */
import type { Platform } from "../platform/platform.ts";

/** What one redirect passes on to the next page: a message, or a secret shown once. */
export interface Flash {
  kind: "ok" | "bad" | "note";
  text: string;
  /** Shown once by the page that knows what to do with them. */
  secrets?: Readonly<Record<string, string>>;
}

/** As the session keeps it. */
export function sealFlash({ keys }: Platform, flash: Flash): Buffer {
  return keys.seal(JSON.stringify(flash), "flash");
}

/** The message again; undefined: sealed with a key that is gone. */
export function openFlash(platform: Platform, sealed: Buffer): Flash | undefined {
  try {
    return JSON.parse(platform.keys.open(sealed, "flash"));
  } catch {
    // Sealed with a key that is gone; a lost message is no reason to refuse the page.
    return undefined;
  }
}
