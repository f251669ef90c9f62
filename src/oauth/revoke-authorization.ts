/** Ends an authorization with every code and token issued from it. */
import { endDelegatedTokens } from "../accounts/end-delegated-tokens.ts";
import type { Leak } from "../accounts/leak.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { lockPersonOfAuthorization, revokeAuthorizationRow } from "./store-authorizations.ts";
import { findGrant } from "./store-facts.ts";

/** Why an authorization ended whose code was presented while its user was blocked. */
export const SHOWN_WHILE_BLOCKED = "its code was shown while the user was blocked";

/**
 * Ends without a sign of theft, which are not recorded as an incident; what an application gives back itself is its own affair.
 */
const PLAIN = ["revoked by its application", SHOWN_WHILE_BLOCKED];

/**
 * Runs in its own transaction: the refusal that causes it must not undo it.
 * @param leak the report, if a leak and not a reuse is the reason
 */
export async function revokeAuthorization(db: Db, id: number, because: string, leak?: Leak): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPersonOfAuthorization(tx, id);
    // Before its tokens, so that a concurrent exchange is either waited for or finds the authorization ended.
    const ended = await revokeAuthorizationRow(tx, id, because);
    await endDelegatedTokens(tx, [id]);
    // All other reasons mean that two parties had one secret.
    if (ended === 0 || PLAIN.includes(because)) return;
    const { userId, uid } = await findGrant(tx, id);
    const by = { actorId: null, userId, ip: leak?.ip ?? "" };
    if (leak) await recordAudit(tx, { ...by, action: "token_leaked", details: { ...leak.details, uid } });
    else await recordAudit(tx, { ...by, action: "reuse_detected", details: { uid, because } });
  });
}
