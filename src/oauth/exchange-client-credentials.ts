/**
 * Issues a token for an application's own credentials, acting for its owner or its own account (RFC 6749 §4.4;
 * decisions 0018, 0125).
 */
import { issueDelegatedToken } from "../accounts/issue-delegated-token.ts";
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { newSecret } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import type { AuthenticatedApplication } from "./authenticated-application.ts";
import { ensureAccount } from "./ensure-account.ts";
import { GrantError, OAuthError } from "./error.ts";
import { findLifetimes } from "./find-lifetimes.ts";
import { findSettings } from "./find-settings.ts";
import type { Issued } from "./issued.ts";
import { checkedScopes } from "./requested-scope.ts";
import { mayNotActForAdministrators } from "./settings.ts";
import { insertAuthorization } from "./store-authorizations.ts";
import { findIdentity, type Identity } from "./store-openid.ts";

/**
 * Never issues a refresh token (§4.4.3) or an identity token. The default scopes are those of the authorization endpoint.
 * @throws OAuthError unauthorized_client: public, or its account is blocked; invalid_scope (also: `api` for the account of an
 *   administrator, if the instance protects administrators from applications that are not trusted)
 */
export async function exchangeClientCredentials(
  platform: Platform,
  application: AuthenticatedApplication,
  scope: string | undefined,
): Promise<Issued> {
  const { db } = platform;
  const owner = application.confidential ? await findPrincipal(db, application) : undefined;
  if (!owner) {
    throw new OAuthError(
      "unauthorized_client",
      "Only a confidential application whose account is not blocked gets a token for itself.",
    );
  }
  const scopes = checkedScopes(application, scope);
  if (owner.isAdmin && mayNotActForAdministrators(await findSettings(platform), application, scopes)) {
    throw new GrantError(
      "invalid_scope",
      "The application acts for an administrator and is not trusted: it cannot have the scope api.",
      "scope",
      "administrator",
    );
  }
  const accessToken = newSecret("accessToken");
  const { accessTokenSeconds: lifetimeSeconds } = await findLifetimes(platform, application);
  const createdAt = await db.transaction(async (tx) => {
    const given = { applicationId: application.id, userId: owner.id, scopes };
    const made = await insertAuthorization(tx, { ...given, flow: "client_credentials" });
    await issueDelegatedToken(tx, {
      ...given,
      secret: accessToken,
      boundKey: application.provenKey,
      authorizationId: made.id,
      lifetimeSeconds,
    });
    return made.createdAt;
  });
  return { accessToken, scopes, expiresIn: lifetimeSeconds, createdAt };
}

/** The identity it acts for: its owner, or its own account if it belongs to a group or to the instance. */
async function findPrincipal(db: Db, application: Application): Promise<Identity | undefined> {
  const userId = application.ownerId ?? (await ensureAccount(db, application));
  return userId === undefined ? undefined : findIdentity(db, userId);
}
