/** Exchanges a username and a password for an access token (RFC 6749 §4.3; spec: Authentication 4). */
import { authenticate } from "../accounts/authenticate.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, newSecret } from "../platform/secret.ts";
import type { AuthenticatedApplication } from "./authenticated-application.ts";
import { GrantError, OAuthError } from "./error.ts";
import type { Issued } from "./issued.ts";
import { lifetimesOf } from "./lifetimes.ts";
import { checkedScopes } from "./requested-scope.ts";
import { mayNotActForAdministrators, type Settings } from "./settings.ts";
import { passwordGrants } from "./store-issue.ts";

export interface PasswordExchange {
  username: string | undefined;
  password: string | undefined;
  scope: string | undefined;
  /** Network address of the caller, for rate limiting. */
  address: string;
  /** The settings of the instance. */
  settings: Promise<Settings>;
}

/**
 * Without a scope the token gets `api`; a refresh token is never issued. All reasons that concern the person get the same refusal
 * after the same work: unknown, wrong, blocked, throttled, two-factor (contract §4, password flow), or an administrator whom the
 * instance protects from applications that are not trusted.
 * @param authenticating the application, which is authenticated while the person is looked up
 * @throws OAuthError invalid_grant; invalid_scope: beyond the application's scopes; invalid_client: deleted meanwhile
 */
export async function exchangePassword(
  platform: Platform,
  authenticating: Promise<AuthenticatedApplication>,
  given: PasswordExchange,
): Promise<Issued> {
  const accessToken = newSecret("accessToken");
  const judged = authenticating.then(async (application) => {
    const scopes = checkedScopes(application, given.scope, ["api"]);
    const { accessTokenSeconds } = lifetimesOf(application, (await given.settings).allowLongLives);
    return { application, scopes, accessTokenSeconds };
  });
  const granting = judged.then(({ application, scopes, accessTokenSeconds: accessSeconds }) => ({
    parts: passwordGrants,
    given: {
      applicationId: application.id,
      scopes,
      accessDigest: digest(accessToken),
      accessKey: application.provenKey,
      accessSeconds,
    },
  }));
  const login = storable(given.username);
  const password = given.password ?? "";
  const refusesAdministrators = Promise.all([judged, given.settings]).then(
    ([{ application, scopes }, settings]) => mayNotActForAdministrators(settings, application, scopes),
  );
  const outcome = await authenticate(platform, { login, password }, given.address, {
    passwordAlone: true,
    refusesAdministrators,
    granting,
  });
  if (!outcome.user) throw invalidGrant(outcome.refused);
  const { grantedAt: createdAt } = outcome;
  if (!createdAt) throw new OAuthError("invalid_client", "The application was deleted.", "deleted meanwhile");
  const { scopes, accessTokenSeconds: expiresIn } = await judged;
  return { accessToken, scopes, expiresIn, createdAt };
}

/** A name that the database cannot store is nobody's; it is handled like every other unknown one. */
function storable(username = ""): string {
  return username.includes("\0") ? "" : username;
}

const REFUSED = "The username or password is wrong, or may not be used in this flow.";

/**
 * Reasons that concern the person or their password are only logged for the operator, and not explained to the owner
 * (decision 0080).
 */
function invalidGrant(refused: string): OAuthError {
  if (refused === "throttled") return new GrantError("invalid_grant", REFUSED, "password", refused);
  return new OAuthError("invalid_grant", REFUSED, refused);
}
