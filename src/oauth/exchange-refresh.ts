/** Exchanges a refresh token for its successors (RFC 6749 §6; RFC 9700 §4.14; contract §4, refresh). */
import { effectiveScopes } from "../accounts/scope.ts";
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import { type AuthenticatedApplication, renewalKey } from "./authenticated-application.ts";
import { GrantError, OAuthError } from "./error.ts";
import { findLifetimes } from "./find-lifetimes.ts";
import { type Issued, successorsOf } from "./issued.ts";
import { judgeRefresh, type RefreshToken } from "./refresh-token.ts";
import type { RefusalReason } from "./refusal-reason.ts";
import { readScope } from "./requested-scope.ts";
import { revokeAuthorization } from "./revoke-authorization.ts";
import { findSuccessor } from "./store-codes.ts";
import { rotateRefreshToken } from "./store-issue.ts";
import { findPresentedRefreshToken } from "./store-presented.ts";

const SCOPE_REFUSED = "The scope is malformed, unknown or beyond what was granted.";

export interface RefreshExchange {
  refreshToken: string;
  /** Narrows only the new access token; the next refresh may use the whole grant again. */
  scope: string | undefined;
}

/**
 * Spends the refresh token, ends the old access token and issues the successors. The same request within 30 s gets
 * the same successors while they are unused; any later use revokes the family.
 * @param authenticating the application; a promise, so that its credentials are looked up together with the token
 * @throws OAuthError invalid_grant: unknown, expired, revoked, used before, of another application, without its key;
 *   invalid_scope: malformed, or beyond the grant
 */
export async function exchangeRefresh(
  platform: Platform,
  authenticating: Promise<AuthenticatedApplication>,
  given: RefreshExchange,
): Promise<Issued> {
  const { db, keys } = platform;
  const { refreshToken } = given;
  const presented = maySecretBe("refreshToken", refreshToken) ? digest(refreshToken) : undefined;
  const [application, found] = await Promise.all([
    authenticating,
    presented && findPresentedRefreshToken(db, presented),
  ]);
  const asked = given.scope === undefined ? undefined : readScope(given.scope);
  if (given.scope !== undefined && !asked) throw new OAuthError("invalid_scope", SCOPE_REFUSED);
  if (!presented) throw invalidGrant("unknown");
  const next = () => successorsOf(keys, refreshToken);
  const request: Request = { platform, application, asked, next };
  const outcome = await answer(request, found);
  // A parallel request has spent or revoked the token since it was read, so it is judged once more.
  if (outcome) return outcome;
  const again = await answer(request, await findPresentedRefreshToken(db, presented));
  if (again) return again;
  throw invalidGrant("raced");
}

interface Request {
  platform: Platform;
  application: AuthenticatedApplication;
  asked: readonly string[] | undefined;
  /** Derives the successors only when they are needed: the master key may have been rotated since the token was read. */
  next: () => ReturnType<typeof successorsOf>;
}

/** Undefined: the token has changed since it was read. */
async function answer(request: Request, token: RefreshToken | undefined): Promise<Issued | undefined> {
  const verdict = judgeRefresh(token, request.application, request.asked);
  if (verdict === "too much") throw new GrantError("invalid_scope", SCOPE_REFUSED, "scope", "beyond_grant");
  if (token && verdict === "rotate") return rotate(request, token);
  if (token && verdict === "repeat") return repeat(request, token);
  if (token && typeof verdict === "object" && "reused" in verdict) {
    return endFamily(request.platform, token, verdict.reused);
  }
  throw invalidGrant(typeof verdict === "object" && "refused" in verdict ? verdict.refused : "unknown");
}

async function rotate(
  { platform, application, asked, next }: Request,
  token: RefreshToken,
): Promise<Issued | undefined> {
  const lifetimes = await findLifetimes(platform, application);
  // The limit may have been shortened since the token was issued, and holds for it too.
  if (token.ageSeconds >= lifetimes.refreshAbsoluteSeconds) throw invalidGrant("too_old");
  const scopes = asked ?? effectiveScopes(token.scopes, application.scopes);
  const [pair] = next();
  const rotated = await rotateRefreshToken(platform.db.pooled, {
    id: token.id,
    accessDigest: digest(pair.accessToken),
    refreshDigest: digest(pair.refreshToken),
    scopes,
    asked: asked ?? null,
    accessKey: application.provenKey,
    refreshKey: renewalKey(application, token.boundKey),
    lifetimes,
  });
  if (!rotated) return undefined;
  const { createdAt, refreshExpiresIn } = rotated;
  const expiresIn = lifetimes.accessTokenSeconds;
  return { ...pair, scopes, expiresIn, refreshExpiresIn, createdAt, identity: identityOf(token) };
}

/** Repeats the first answer, unless its refresh token was used since: then two parties hold this token. */
async function repeat({ platform, application, next }: Request, token: RefreshToken): Promise<Issued> {
  const { pair, successor } = await findRightSuccessor(platform.db, token.id, next());
  if (!successor || successor.spent) {
    return endFamily(platform, token, "refresh token used again after its successor");
  }
  // Possible if the refresh token itself is bound to no key: the repeat must prove the same key as the first request.
  if (successor.accessTokenBoundKey !== application.provenKey) throw invalidGrant("another_key");
  const scopes = effectiveScopes(successor.accessTokenScopes, application.scopes);
  if (scopes.length === 0) throw invalidGrant("scope_lost");
  const { accessTokenExpiresIn: expiresIn, accessTokenCreatedAt: createdAt } = successor;
  const { refreshTokenExpiresIn: refreshExpiresIn } = successor;
  return { ...pair, scopes, expiresIn, refreshExpiresIn, createdAt, identity: identityOf(token) };
}

/** Returns the successors that were issued, of the possible ones. */
async function findRightSuccessor(db: Db, predecessorId: number, pairs: ReturnType<typeof successorsOf>) {
  for (const pair of pairs) {
    const successor = await findSuccessor(db, predecessorId, digest(pair.accessToken));
    if (successor) return { pair, successor };
  }
  return { pair: pairs[0], successor: undefined };
}

async function endFamily({ db }: Platform, { authorizationId }: RefreshToken, why: string): Promise<never> {
  await revokeAuthorization(db, authorizationId, why);
  throw invalidGrant("used_again");
}

/** The nonce belongs to the response to the authorization request only (OpenID Connect Core §12.2). */
function identityOf({ userId, authenticatedAt, authenticatedBy, sessionSid }: RefreshToken) {
  return { userId, authenticatedAt, authenticatedBy, sessionSid, nonce: null };
}

function invalidGrant(reason: RefusalReason): GrantError {
  return new GrantError(
    "invalid_grant",
    "The refresh token is invalid, expired, revoked, used before, bound to another key, or was issued to another application.",
    "refresh_token",
    reason,
  );
}
