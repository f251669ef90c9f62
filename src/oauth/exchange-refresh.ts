/** Exchanges a refresh token for its successors (RFC 6749 §6; RFC 9700 §4.14; contract §4, refresh). */
import { endDelegatedTokens } from "../accounts/end-delegated-tokens.ts";
import { issueDelegatedToken } from "../accounts/issue-delegated-token.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { OAuthError } from "./error.ts";
import { type Issued, successorsOf } from "./issued.ts";
import { ACCESS_TOKEN_SECONDS } from "./lifetimes.ts";
import { judgeRefresh, type RefreshToken } from "./refresh-token.ts";
import { readScope } from "./requested-scope.ts";
import { revokeAuthorization } from "./revoke-authorization.ts";
import { findSuccessor, insertRefreshToken, lockRefreshToken, spendRefreshToken } from "./store-codes.ts";

export interface RefreshExchange {
  refreshToken: string;
  /** Narrows the new access token alone; the next refresh may have the whole grant again. */
  scope: string | undefined;
}

/**
 * Spends the refresh token, ends the old access token and issues the successors. The same request within 30 s gets
 * the same successors while they are unused; any later use revokes the family.
 * @throws OAuthError invalid_grant: unknown, expired, revoked, used before, of another application;
 *   invalid_scope: malformed, or beyond the grant
 */
export async function exchangeRefresh(
  { db, keys }: Platform,
  application: Application,
  given: RefreshExchange,
): Promise<Issued> {
  const { refreshToken } = given;
  const asked = given.scope === undefined ? undefined : readScope(given.scope);
  if (given.scope !== undefined && !asked) throw invalidScope();
  if (!maySecretBe("refreshToken", refreshToken)) throw invalidGrant("not a refresh token");
  const next = successorsOf(keys, refreshToken);
  const outcome = await db.transaction(async (tx): Promise<Issued | { reusedOf: number; why: string }> => {
    const token = await lockRefreshToken(tx, digest(refreshToken));
    const verdict = judgeRefresh(token, application, asked);
    if (verdict === "too much") throw invalidScope();
    if (token && verdict === "rotate") return rotate(tx, token, next, asked);
    if (token && verdict === "repeat") return repeat(tx, token, next);
    if (token && typeof verdict === "object" && "reused" in verdict) {
      return { reusedOf: token.authorizationId, why: verdict.reused };
    }
    throw invalidGrant(typeof verdict === "object" && "refused" in verdict ? verdict.refused : "unknown");
  });
  if (!("reusedOf" in outcome)) return outcome;
  await revokeAuthorization(db, outcome.reusedOf, outcome.why);
  throw invalidGrant(outcome.why);
}

type Successors = ReturnType<typeof successorsOf>;

async function rotate(
  tx: Queries,
  token: RefreshToken,
  next: Successors,
  asked: readonly string[] | undefined,
): Promise<Issued> {
  const { id, userId, applicationId, authorizationId } = token;
  const scopes = asked ?? token.scopes;
  const lifetimeSeconds = ACCESS_TOKEN_SECONDS;
  await spendRefreshToken(tx, id, asked ?? null);
  await endDelegatedTokens(tx, [authorizationId]);
  const access = {
    secret: next.accessToken,
    userId,
    applicationId,
    authorizationId,
    scopes,
    lifetimeSeconds,
  };
  await issueDelegatedToken(tx, access);
  await insertRefreshToken(tx, { digest: digest(next.refreshToken), authorizationId, predecessorId: id });
  return { ...next, scopes, expiresIn: lifetimeSeconds, createdAt: token.now, identity: identityOf(token) };
}

/** The answer of the first time once more, unless its refresh token was used since: then two parties hold this one. */
async function repeat(
  tx: Queries,
  token: RefreshToken,
  next: Successors,
): Promise<Issued | { reusedOf: number; why: string }> {
  const successor = await findSuccessor(tx, token.id, digest(next.accessToken));
  if (!successor || successor.spent || !successor.accessTokenLives) {
    return { reusedOf: token.authorizationId, why: "refresh token used again after its successor" };
  }
  const {
    accessTokenScopes: scopes,
    accessTokenExpiresIn: expiresIn,
    accessTokenCreatedAt: createdAt,
  } = successor;
  return { ...next, scopes, expiresIn, createdAt, identity: identityOf(token) };
}

/** The nonce belongs to the answer to the authorization request alone (OpenID Connect Core §12.2). */
function identityOf({ userId, authenticatedAt }: RefreshToken) {
  return { userId, authenticatedAt, nonce: null };
}

function invalidGrant(log: string): OAuthError {
  return new OAuthError(
    "invalid_grant",
    "The refresh token is invalid, expired, revoked, used before, or was issued to another application.",
    log,
  );
}

function invalidScope(): OAuthError {
  return new OAuthError("invalid_scope", "The scope is malformed, unknown or beyond what was granted.");
}
