/** Revokes a token at the request of its application (RFC 7009). */
import type { Db } from "../platform/db.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import { OAuthError } from "./error.ts";
import { revokeAuthorization } from "./revoke-authorization.ts";
import { findDelegatedToken, findRefreshToken } from "./store-codes.ts";

/**
 * Revoking either token of a pair ends the whole authorization, as in GitLab. An unknown one is no error (RFC 7009 §2.2);
 * `token_type_hint` is not needed, since both tables are searched.
 * @throws OAuthError unauthorized_client (403): the token of another application, which stays valid
 */
export async function revokeToken(db: Db, application: Application, token: string): Promise<void> {
  const id = digest(token);
  const found =
    (maySecretBe("accessToken", token) ? await findDelegatedToken(db, id) : undefined) ??
    (maySecretBe("refreshToken", token) ? await findRefreshToken(db, id) : undefined);
  if (!found) return;
  if (found.applicationId !== application.id) {
    throw new OAuthError(
      "unauthorized_client",
      "You are not authorized to revoke this token",
      "token of another application",
      "forbidden",
    );
  }
  if (found.authorizationId !== null)
    await revokeAuthorization(db, found.authorizationId, "revoked by its application");
}
