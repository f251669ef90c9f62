/** An authenticated application that requests a token, with the key whose possession it has proven (RFC 9449 §5). */
import type { Application } from "./application.ts";

/** Returned by `proveKey` for an application that is authenticated. */
export interface AuthenticatedApplication extends Application {
  /** The thumbprint of the key to which its tokens are bound; null: none. */
  provenKey: string | null;
}

/**
 * Returns the key to which a refresh token is bound: for a public application the proven one, which its successors keep. Refresh
 * tokens of confidential applications are bound by client authentication alone, so that the application may change its key (§5).
 */
export function renewalKey(
  application: AuthenticatedApplication,
  before: string | null = null,
): string | null {
  return application.confidential && before === null ? null : application.provenKey;
}
