/** Ends an authorization with every code and token that follows from it. */
import { endDelegatedTokens } from "../accounts/end-delegated-tokens.ts";
import type { Leak } from "../accounts/leak.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { revokeAuthorizationRow } from "./store-authorizations.ts";
import { findGrant } from "./store-facts.ts";

/** Why an authorization ended whose code was exchanged while nobody stood behind it. */
export const SHOWN_WHILE_BLOCKED = "its code was shown while the user was blocked";

/** Ends that mean no theft, so that nobody is alarmed: what an application gives back itself is its own affair. */
const PLAIN = ["revoked by its application", SHOWN_WHILE_BLOCKED];

/**
 * In a transaction of its own: the refusal that leads here must not undo it.
 * @param leak what was reported, where nobody used it twice
 */
export async function revokeAuthorization(db: Db, id: number, because: string, leak?: Leak): Promise<void> {
  await db.transaction(async (tx) => {
    // First, so that an exchange in flight is either waited for or finds the authorization ended.
    const ended = await revokeAuthorizationRow(tx, id, because);
    await endDelegatedTokens(tx, [id]);
    // Whatever else leads here means two hands on one secret.
    if (ended === 0 || PLAIN.includes(because)) return;
    const { userId, uid } = await findGrant(tx, id);
    const by = { actorId: null, userId, ip: leak?.ip ?? "" };
    if (leak) await recordAudit(tx, { ...by, action: "token_leaked", details: { ...leak.details, uid } });
    else await recordAudit(tx, { ...by, action: "reuse_detected", details: { uid, because } });
  });
}
