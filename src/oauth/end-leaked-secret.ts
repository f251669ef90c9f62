/** Handles leaked secrets of applications, which were found where others can read them (decision 0208). */
import type { Leak } from "../accounts/leak.ts";
import { tellLeak } from "../accounts/tell-leak.ts";
import type { Platform } from "../platform/platform.ts";
import { auditDetails } from "./application.ts";
import { revokeAuthorization } from "./revoke-authorization.ts";
import { findLeakedGrant, findLeakedSecret, listOwnersOf } from "./store-leaks.ts";

/**
 * A valid token ends its whole authorization. A client secret is not revoked, since that would turn away everybody who signs in
 * with the application; those who can renew it are notified.
 */
export async function endLeakedSecret({ db }: Platform, leak: Leak): Promise<void> {
  if (leak.kind === "accessToken" || leak.kind === "refreshToken") {
    const grant = await findLeakedGrant(db, leak.digest);
    if (grant) await revokeAuthorization(db, grant.id, "found where others can read it", leak);
  }
  if (leak.kind === "clientSecret") {
    const application = await findLeakedSecret(db, leak.digest);
    if (application) await tellLeak(db, leak, await listOwnersOf(db, application), auditDetails(application));
  }
}
