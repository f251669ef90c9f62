/** An application that asks for a token, and the key of which it has proven possession meanwhile (RFC 9449 §5). */
import type { Application } from "./application.ts";

/** Made by `proveKey` of an application that has proven itself. */
export interface Asker extends Application {
  /** The thumbprint of the key to which what it gets is bound; null: to none. */
  provenKey: string | null;
}

/**
 * To which key a refresh token is bound: that of a public application to the one that was proven, and its successors for good.
 * Those of confidential ones are bound by what proves the application, so that it may change its key (§5).
 */
export function renewalKey(asker: Asker, before: string | null = null): string | null {
  return asker.confidential && before === null ? null : asker.provenKey;
}
