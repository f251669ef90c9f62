/** Returns whether a token of an application is active, and what it allows (RFC 7662). */
import { effectiveScopes } from "../accounts/scope.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { OAuthError } from "./error.ts";
import { findLifetimes } from "./find-lifetimes.ts";
import { findAccessTokenState, findRefreshTokenState, type TokenState } from "./store-introspection.ts";

/** An active token with its kind and its identifier: the digest, which grants no access. */
export type Introspected = TokenState & { kind: "access" | "refresh"; identifier: string };

/**
 * Returns undefined for every token that is not active: unknown, expired, revoked, spent, of a blocked person, without a scope
 * that its application still has (decision 0029), or older than an absolute limit that was shortened (decision 0194). A refresh
 * token is active beyond the end of its access token (reference oauth D75). `token_type_hint` is not needed, since both tables
 * are searched.
 * @throws OAuthError unauthorized_client (403): the token of another application (contract §4, introspect)
 */
export async function introspectToken(
  platform: Platform,
  application: Application,
  token: string,
): Promise<Introspected | undefined> {
  const { db } = platform;
  const id = digest(token);
  const access = maySecretBe("accessToken", token) ? await findAccessTokenState(db, id) : undefined;
  const refresh =
    !access && maySecretBe("refreshToken", token) ? await findRefreshTokenState(db, id) : undefined;
  const found = access ?? refresh;
  if (!found) return undefined;
  if (found.applicationId !== application.id) {
    throw new OAuthError(
      "unauthorized_client",
      "You are not authorized to introspect this token",
      "token of another application",
      "forbidden",
    );
  }
  const scopes = [...effectiveScopes(found.scopes, found.applicationScopes ?? found.scopes)];
  if (!found.active || scopes.length === 0) return undefined;
  const { ageSeconds } = found;
  if (ageSeconds !== null) {
    const { refreshAbsoluteSeconds } = await findLifetimes(platform, application);
    if (ageSeconds >= refreshAbsoluteSeconds) return undefined;
  }
  return { ...found, scopes, kind: access ? "access" : "refresh", identifier: id.toString("base64url") };
}
