/** A refresh token: what is known of a presented one, and whether it is rotated, repeated or refused. */
import { covers, effectiveScopes } from "../accounts/scope.ts";
import { boolean, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import type { AuthenticatedApplication } from "./authenticated-application.ts";
import type { RefusalReason } from "./refusal-reason.ts";

/** A refresh token as found by its digest. Times are compared by the database's clock. */
export const RefreshTokenRow = row({
  id: integer,
  authorizationId: integer,
  applicationId: integer,
  userId: integer,
  userActive: boolean,
  /** The scopes of the whole grant. */
  scopes: list(text),
  /** Seconds since the user approved. */
  ageSeconds: integer,
  expired: boolean,
  revoked: boolean,
  spent: boolean,
  /** Whether it was spent within the grace time. */
  justSpent: boolean,
  spentScopes: nullable(list(text)),
  /** The thumbprint of the key to which it is bound (RFC 9449 §5); null: to none. */
  boundKey: nullable(text),
  authenticatedAt: nullable(instant),
  authenticatedBy: nullable(list(text)),
  /** The browser session in which the user approved; null: none. */
  sessionSid: nullable(text),
});
export type RefreshToken = RowOf<typeof RefreshTokenRow>;

/** What to do with a presented refresh token. */
export type RefreshVerdict =
  /** Spend it and issue its successors. */
  | "rotate"
  /** The same request again within the grace time: whether it may be repeated depends on the successor. */
  | "repeat"
  | { refused: RefusalReason }
  /** The request asks for more than was granted. */
  | "too much"
  /** Two parties have it: all tokens of the authorization must be revoked (RFC 9700 §4.14.2). */
  | { reused: string };

/**
 * Checks in this order: known, issued to this application, presented with its key, not revoked, of an active user, not spent, not
 * expired, within the grant. Whether it is spent is checked only after the key, so that only its rightful application can cause
 * the revocation.
 * @param asked the `scope` of the request; undefined: the whole grant
 */
export function judgeRefresh(
  token: RefreshToken | undefined,
  application: AuthenticatedApplication,
  asked: readonly string[] | undefined,
): RefreshVerdict {
  if (!token) return { refused: "unknown" };
  if (token.applicationId !== application.id) return { refused: "another_application" };
  if (token.boundKey !== null && token.boundKey !== application.provenKey) return { refused: "key" };
  if (token.revoked) return { refused: "revoked" };
  if (!token.userActive) return { refused: "user_blocked" };
  if (token.spent) {
    if (!token.justSpent) return { reused: "refresh token used again" };
    return sameScopes(token.spentScopes ?? undefined, asked) ? "repeat" : { refused: "another_scope" };
  }
  if (token.expired) return { refused: "expired" };
  const grant = effectiveScopes(token.scopes, application.scopes);
  if (grant.length === 0) return { refused: "scope_lost" };
  if (asked && !covers(grant, asked)) return "too much";
  return "rotate";
}

function sameScopes(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((scope) => b.includes(scope));
}
