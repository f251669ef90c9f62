/** An authorization code: what is known of a presented one, and whether it may be redeemed (RFC 6749 §4.1.3). */
import { covers } from "../accounts/scope.ts";
import { boolean, bytes, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import type { AuthenticatedApplication } from "./authenticated-application.ts";
import { verifierMatches } from "./pkce.ts";
import { matchesRedirectUri } from "./redirect-uri.ts";
import type { RefusalReason } from "./refusal-reason.ts";

/** A code as found by its digest. Expiry is decided by the database's clock. */
export const CodeRow = row({
  digest: bytes,
  authorizationId: integer,
  applicationId: integer,
  userId: integer,
  userActive: boolean,
  scopes: list(text),
  redirectUri: text,
  codeChallenge: nullable(text),
  /** The thumbprint of the key whose possession must be proven with it (RFC 9449 §10); null: of none. */
  boundKey: nullable(text),
  nonce: nullable(text),
  authenticatedAt: nullable(instant),
  authenticatedBy: nullable(list(text)),
  /** The browser session in which it was approved; null: none. */
  sessionSid: nullable(text),
  expired: boolean,
  spent: boolean,
  revoked: boolean,
});
export type Code = RowOf<typeof CodeRow>;

/** What to do with a presented code. */
export type CodeVerdict =
  | "spendable"
  /** Refused; nothing else happens. */
  | { refused: RefusalReason }
  /** Refused for good: it was presented while its user was blocked. */
  | { burned: "user_blocked" }
  /** Refused, and all that was issued from the code is revoked: it is in the wrong hands. */
  | { leaked: "another_application" | "used_again" };

/**
 * Checks in this order: known, issued to this application, redirect_uri, verifier, key, unspent, and last what has changed with
 * time. Only a caller that passes all other checks can trigger the revocation of a spent code, so that a mere copy of it, without
 * verifier, redirect_uri or key, does no harm; use by another application always triggers it (contract §4, code). Codes are valid
 * for a minute, so that a person who is unblocked within it is simply asked again.
 */
export function judgeCode(
  code: Code | undefined,
  application: AuthenticatedApplication,
  given: { redirectUri: string; verifier: string | undefined },
): CodeVerdict {
  if (!code) return { refused: "unknown" };
  if (code.applicationId !== application.id) return { leaked: "another_application" };
  if (code.redirectUri !== given.redirectUri) return { refused: "redirect_uri" };
  if (!verifierMatches(code.codeChallenge, given.verifier)) return { refused: "verifier" };
  if (code.boundKey !== null && code.boundKey !== application.provenKey) return { refused: "key" };
  if (code.spent) return { leaked: "used_again" };
  if (code.revoked) return { refused: "revoked" };
  if (code.expired) return { refused: "expired" };
  if (!code.userActive) return { burned: "user_blocked" };
  if (!covers(application.scopes, code.scopes)) return { refused: "scope_lost" };
  if (!matchesRedirectUri(application.redirectUris, code.redirectUri))
    return { refused: "redirect_uri_lost" };
  return "spendable";
}
