/** Exchanges an authorization code for tokens (RFC 6749 §4.1.3; spec: POST /oauth/token). */
import { issueDelegatedToken } from "../accounts/issue-delegated-token.ts";
import type { Db } from "../platform/db.ts";
import { digest, maySecretBe, newSecret } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { type Code, judgeCode } from "./code.ts";
import { OAuthError } from "./error.ts";
import type { Issued } from "./issued.ts";
import { ACCESS_TOKEN_SECONDS } from "./lifetimes.ts";
import { revokeAuthorization } from "./revoke-authorization.ts";
import { findCode, insertRefreshToken, spendCode } from "./store-codes.ts";

export interface CodeExchange {
  code: string;
  redirectUri: string;
  verifier: string | undefined;
}

/**
 * The code is spent: a second call, a parallel one too, refuses and revokes what the first issued (§4.1.2).
 * @throws OAuthError invalid_grant: unknown, expired, spent, of another application, redirect_uri or verifier differ
 */
export async function exchangeCode(db: Db, application: Application, given: CodeExchange): Promise<Issued> {
  const code = maySecretBe("authorizationCode", given.code)
    ? await findCode(db, digest(given.code))
    : undefined;
  const verdict = judgeCode(code, application, given);
  if (verdict !== "spendable") {
    if (code && "leaked" in verdict) await revokeAuthorization(db, code.authorizationId, verdict.leaked);
    throw invalidGrant("leaked" in verdict ? verdict.leaked : verdict.refused);
  }
  const issued = await spend(db, application, code as Code);
  if (issued) return issued;
  // Lost against a parallel use, an expiry or a revocation since the code was read. The transaction is over, so the
  // winner's tokens are there to be revoked.
  const now = await findCode(db, (code as Code).digest);
  if (now?.spent) await revokeAuthorization(db, now.authorizationId, "code used twice at once");
  throw invalidGrant("lost against a parallel use");
}

async function spend(db: Db, application: Application, code: Code): Promise<Issued | undefined> {
  const accessToken = newSecret("accessToken");
  const refreshToken = newSecret("refreshToken");
  const { authorizationId, userId, scopes, nonce, authenticatedAt } = code;
  return db.transaction(async (tx) => {
    const spent = await spendCode(tx, code.digest);
    if (!spent) return undefined;
    const lifetimeSeconds = ACCESS_TOKEN_SECONDS;
    const applicationId = application.id;
    const token = { secret: accessToken, userId, applicationId, authorizationId, scopes, lifetimeSeconds };
    await issueDelegatedToken(tx, token);
    const identity = { userId, nonce, authenticatedAt };
    const issued = { accessToken, scopes, expiresIn: lifetimeSeconds, createdAt: spent.spentAt, identity };
    if (!application.grantTypes.includes("refresh_token")) return issued;
    await insertRefreshToken(tx, { digest: digest(refreshToken), authorizationId });
    return { ...issued, refreshToken };
  });
}

/** One wording for every reason (reference oauth A4). */
function invalidGrant(log: string): OAuthError {
  return new OAuthError(
    "invalid_grant",
    "The authorization code is invalid, expired, revoked, used before, issued to another application, or does not match the redirect_uri or code_verifier.",
    log,
  );
}
