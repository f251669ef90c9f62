/** Carries out what a person allowed: a code, or a token in the fragment (RFC 6749 §4.1.2, §4.2.2). */
import { issueDelegatedToken } from "../accounts/issue-delegated-token.ts";
import type { Db, Queries } from "../platform/db.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { answerLocation } from "./authorization-error.ts";
import type { AuthorizationRequest } from "./check-authorization.ts";
import type { ProvenBy } from "./issued.ts";
import { ACCESS_TOKEN_SECONDS } from "./lifetimes.ts";
import { insertAuthorization, upsertConsent } from "./store-authorizations.ts";
import { insertCode } from "./store-codes.ts";

/**
 * Remembers the consent and returns the address that brings the answer to the application.
 * @param codeSeconds how long a code lives
 */
export async function approveAuthorization(
  db: Db,
  { userId, authenticatedAt, authenticatedBy }: { userId: number } & ProvenBy,
  request: Omit<AuthorizationRequest, "application"> & { application: { id: number } },
  codeSeconds: number,
): Promise<string> {
  const { application, responseType, redirect, scopes } = request;
  return db.transaction(async (tx) => {
    await upsertConsent(tx, userId, application.id, scopes);
    const flow = responseType === "code" ? "authorization_code" : "implicit";
    const { id } = await insertAuthorization(tx, {
      applicationId: application.id,
      userId,
      flow,
      scopes,
      authenticatedAt,
      authenticatedBy,
    });
    if (responseType === "code") {
      const code = newSecret("authorizationCode");
      await insertCode(tx, {
        digest: digest(code),
        authorizationId: id,
        redirectUri: redirect.uri,
        codeChallenge: request.codeChallenge ?? null,
        nonce: request.nonce ?? null,
        lifetimeSeconds: codeSeconds,
      });
      return answerLocation(redirect, { code });
    }
    return answerLocation(redirect, await tokenAnswer(tx, userId, application.id, id, scopes));
  });
}

/** Never a refresh token, and never a code beside it (contract §4). */
async function tokenAnswer(
  tx: Queries,
  userId: number,
  applicationId: number,
  authorizationId: number,
  scopes: readonly string[],
) {
  const secret = newSecret("accessToken");
  const lifetimeSeconds = ACCESS_TOKEN_SECONDS;
  await issueDelegatedToken(tx, { secret, userId, applicationId, authorizationId, scopes, lifetimeSeconds });
  return {
    access_token: secret,
    token_type: "bearer",
    expires_in: lifetimeSeconds,
    scope: scopes.join(" "),
  };
}
