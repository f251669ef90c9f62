/** Exchanges an authorization code for tokens (RFC 6749 §4.1.3; spec: POST /oauth/token). */
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, maySecretBe, newSecret } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { type AuthenticatedApplication, renewalKey } from "./authenticated-application.ts";
import { type Code, type CodeVerdict, judgeCode } from "./code.ts";
import { GrantError } from "./error.ts";
import { findLifetimes } from "./find-lifetimes.ts";
import type { Issued } from "./issued.ts";
import type { RefusalReason } from "./refusal-reason.ts";
import { revokeAuthorization, SHOWN_WHILE_BLOCKED } from "./revoke-authorization.ts";
import { redeemCode } from "./store-issue.ts";
import { notifyOfEndedSession } from "./store-logout.ts";
import { findCode } from "./store-presented.ts";

/** The parameters of the request, not checked yet. */
export interface CodeExchange {
  code: string;
  redirectUri: string;
  /** The `code_verifier` (RFC 7636 §4.5); required if the authorization request had a challenge, and refused otherwise. */
  verifier: string | undefined;
  /** The application as soon as it is authenticated, also if it is refused before the code is judged. */
  shownBy: Promise<Application>;
}

/**
 * Redeems the code for tokens. A second use, even a parallel one, is refused and revokes what the first issued (§4.1.2). A code
 * that is presented while its user is blocked is refused for good (decision 0013).
 * @param authenticating the application; a promise, so that its credentials are looked up together with the code
 * @throws OAuthError invalid_grant: unknown, expired, spent, of another application, redirect_uri or verifier differ, or
 *   without the key that the authorization request named
 */
export async function exchangeCode(
  platform: Platform,
  authenticating: Promise<AuthenticatedApplication>,
  given: CodeExchange,
): Promise<Issued> {
  const { db } = platform;
  const presented = maySecretBe("authorizationCode", given.code)
    ? findCode(db, digest(given.code))
    : undefined;
  const [application, code] = await Promise.all([authenticating, presented]).catch(
    async (refusal: unknown) => {
      await burnForeign(db, await given.shownBy, await presented);
      throw refusal;
    },
  );
  if (!code) throw invalidGrant("unknown");
  const verdict = judgeCode(code, application, given);
  if (verdict !== "spendable") {
    if ("leaked" in verdict) await revokeAuthorization(db, code.authorizationId, LEAKED[verdict.leaked]);
    if ("burned" in verdict) await revokeAuthorization(db, code.authorizationId, SHOWN_WHILE_BLOCKED);
    throw invalidGrant(reasonOf(verdict));
  }
  const issued = await redeem(platform, application, code);
  if (issued) return issued;
  // Since the code was read, it has expired, was revoked, or was redeemed by a parallel request. That request has committed, so
  // its tokens can be revoked.
  const now = await findCode(db, code.digest);
  if (now?.spent) await revokeAuthorization(db, now.authorizationId, "code used twice at once");
  throw invalidGrant("raced");
}

/** A code that another application shows was stolen, whatever else the request lacks (contract §4, code; decision 0013). */
async function burnForeign(db: Db, shownBy: Application, code: Code | undefined): Promise<void> {
  if (code && code.applicationId !== shownBy.id)
    await revokeAuthorization(db, code.authorizationId, LEAKED.another_application);
}

function reasonOf(verdict: Exclude<CodeVerdict, "spendable">): RefusalReason {
  if ("leaked" in verdict) return verdict.leaked;
  return "burned" in verdict ? verdict.burned : verdict.refused;
}

async function redeem(
  platform: Platform,
  application: AuthenticatedApplication,
  code: Code,
): Promise<Issued | undefined> {
  const { db } = platform;
  const lifetimes = await findLifetimes(platform, application);
  const accessToken = newSecret("accessToken");
  const refreshToken = application.grantTypes.includes("refresh_token")
    ? newSecret("refreshToken")
    : undefined;
  const { userId, authorizationId, scopes, nonce, authenticatedAt, authenticatedBy, sessionSid } = code;
  const redeemed = await redeemCode(db.pooled, {
    code: code.digest,
    accessDigest: digest(accessToken),
    refreshDigest: refreshToken === undefined ? null : digest(refreshToken),
    accessKey: application.provenKey,
    refreshKey: renewalKey(application),
    lifetimes,
  });
  // The session may have ended before the application had tokens, and so without a logout token for it: sent now if the
  // application receives any.
  const listens = scopes.includes("openid") && application.backchannelLogoutUri !== "";
  if (redeemed && sessionSid !== null && listens) {
    const late = { applicationId: application.id, userId, sessionSid, authorizationId };
    await notifyOfEndedSession(db.pooled, late);
  }
  return (
    redeemed && {
      accessToken,
      ...(refreshToken === undefined ? {} : { refreshToken, refreshExpiresIn: redeemed.refreshExpiresIn }),
      scopes,
      expiresIn: lifetimes.accessTokenSeconds,
      createdAt: redeemed.createdAt,
      identity: { userId, nonce, authenticatedAt, authenticatedBy, sessionSid },
    }
  );
}

/** Why the authorization ended, in words for its user. */
const LEAKED = {
  another_application: "shown by another application",
  used_again: "code used twice",
} as const;

/** The same description for every reason, so that it reveals nothing (reference oauth A4). */
function invalidGrant(reason: RefusalReason): GrantError {
  return new GrantError(
    "invalid_grant",
    "The authorization code is invalid, expired, revoked, used before, issued to another application, or does not match the redirect_uri, code_verifier or dpop_jkt.",
    "code",
    reason,
  );
}
