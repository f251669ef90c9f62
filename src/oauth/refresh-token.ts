/** A refresh token: what is known of a presented one, and whether it is rotated, repeated or refused. */
import { covers, effectiveScopes } from "../accounts/scope.ts";
import { boolean, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import type { Asker } from "./asker.ts";
import type { RefusalReason } from "./refusal-reason.ts";

/** A refresh token as it is found by its digest. Times are judged by the database's clock. */
export const RefreshTokenRow = row({
  id: integer,
  authorizationId: integer,
  applicationId: integer,
  userId: integer,
  userActive: boolean,
  /** The whole grant. */
  scopes: list(text),
  /** Seconds since the approval. */
  ageSeconds: integer,
  expired: boolean,
  revoked: boolean,
  spent: boolean,
  /** Spent less than the grace time ago. */
  justSpent: boolean,
  spentScopes: nullable(list(text)),
  /** The thumbprint of the key whose possession must be proven with it (RFC 9449 §5); null: of none. */
  boundKey: nullable(text),
  authenticatedAt: nullable(instant),
  authenticatedBy: nullable(list(text)),
  /** The browser session in which it was allowed; null: none. */
  sessionSid: nullable(text),
});
export type RefreshToken = RowOf<typeof RefreshTokenRow>;

/** What is to be done with a presented refresh token. */
export type RefreshVerdict =
  /** It is spent, and its successor handed out. */
  | "rotate"
  /** The same request again, within the grace time: the successor decides whether it may be repeated. */
  | "repeat"
  | { refused: RefusalReason }
  /** Asks for more than was granted. */
  | "too much"
  /** Someone else has it too: the family must die (RFC 9700 §4.14.2). */
  | { reused: string };

/**
 * Judges in this order: known, this application's, shown with its key, alive, within the grant, and unspent last, so that only the
 * application itself can trigger the revocation.
 * @param asked the `scope` of the request; undefined: the whole grant
 */
export function judgeRefresh(
  token: RefreshToken | undefined,
  application: Asker,
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
