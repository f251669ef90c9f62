/** Exchanges a username and a password for an access token (RFC 6749 §4.3; spec: Authentication 4). */
import { authenticate } from "../accounts/authenticate.ts";
import { issueDelegatedToken } from "../accounts/issue-delegated-token.ts";
import { covers } from "../accounts/scope.ts";
import type { Platform } from "../platform/platform.ts";
import { newSecret } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { OAuthError } from "./error.ts";
import type { Issued } from "./issued.ts";
import { ACCESS_TOKEN_SECONDS } from "./lifetimes.ts";
import { readScope } from "./requested-scope.ts";
import { insertAuthorization } from "./store-authorizations.ts";

export interface PasswordExchange {
  username: string | undefined;
  password: string | undefined;
  scope: string | undefined;
  /** Network address of the caller, for throttling. */
  address: string;
}

/**
 * Without a scope the token gets `api`; never a refresh token. The same refusal, after the same work, for every
 * reason that lies with the person: unknown, wrong, blocked, throttled, two-factor (contract §4, password flow).
 * @throws OAuthError invalid_grant; invalid_scope: beyond the application's scopes
 */
export async function exchangePassword(
  platform: Platform,
  application: Application,
  given: PasswordExchange,
): Promise<Issued> {
  const scopes = given.scope === undefined ? ["api"] : readScope(given.scope);
  if (!scopes || !covers(application.scopes, scopes)) {
    throw new OAuthError(
      "invalid_scope",
      "The scope is malformed, unknown or not enabled for the application.",
    );
  }
  const { db } = platform;
  const outcome = await authenticate(
    platform,
    storable(given.username),
    given.password ?? "",
    given.address,
    {
      passwordAlone: true,
    },
  );
  if (!outcome.user) throw invalidGrant(outcome.refused);
  const { id: userId } = outcome.user;
  const accessToken = newSecret("accessToken");
  const lifetimeSeconds = ACCESS_TOKEN_SECONDS;
  const applicationId = application.id;
  const createdAt = await db.transaction(async (tx) => {
    const made = await insertAuthorization(tx, { applicationId, userId, flow: "password", scopes });
    const token = {
      secret: accessToken,
      userId,
      applicationId,
      authorizationId: made.id,
      scopes,
      lifetimeSeconds,
    };
    await issueDelegatedToken(tx, token);
    return made.createdAt;
  });
  return { accessToken, scopes, expiresIn: lifetimeSeconds, createdAt };
}

/** What no database can hold is nobody's name; it takes the way of every other unknown one. */
function storable(username = ""): string {
  return username.includes("\0") || username.length > 255 ? "" : username;
}

function invalidGrant(log: string): OAuthError {
  return new OAuthError(
    "invalid_grant",
    "The username or password is wrong, or may not be used in this flow.",
    log,
  );
}
