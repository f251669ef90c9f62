/** An authorization code: what is known of a presented one, and whether it may be spent (RFC 6749 §4.1.3). */
import { covers } from "../accounts/scope.ts";
import { boolean, bytes, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import type { Asker } from "./asker.ts";
import { verifierMatches } from "./pkce.ts";
import { matchesRedirectUri } from "./redirect-uri.ts";
import type { RefusalReason } from "./refusal-reason.ts";

/** A code as it is found by its digest. Expiry is judged by the database's clock. */
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
  /** The browser session in which it was allowed; null: none. */
  sessionSid: nullable(text),
  expired: boolean,
  spent: boolean,
  revoked: boolean,
});
export type Code = RowOf<typeof CodeRow>;

/** What is to be done with a presented code. */
export type CodeVerdict =
  | "spendable"
  /** Refused; nothing else happens. */
  | { refused: RefusalReason }
  /** Refused, and it will not be spendable again: it was shown in a moment in which nobody stood behind it. */
  | { burned: "user_blocked" }
  /** Refused, and all that the code led to must die: it is in the wrong hands. */
  | { leaked: "another_application" | "used_again" };

/**
 * Judges in this order: known, this application's, redirect_uri, verifier, key, unspent, and last what time has changed.
 * Only who proved possession of everything else may trigger the revocation of a spent code, so that a mere copy of
 * it, with neither verifier, redirect_uri nor key, does no harm; another application's use always does (contract §4, code).
 * Codes live for a minute, so that a person who is unblocked within it is asked again instead.
 */
export function judgeCode(
  code: Code | undefined,
  application: Asker,
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
