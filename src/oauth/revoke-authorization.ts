/** Ends an authorization with every code and token that follows from it. */
import { endDelegatedTokens } from "../accounts/end-delegated-tokens.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { revokeAuthorizationRow } from "./store-authorizations.ts";
import { findGrant } from "./store-facts.ts";

/** Why an authorization ended whose code was exchanged while nobody stood behind it. */
export const SHOWN_WHILE_BLOCKED = "its code was shown while the user was blocked";

/** Ends that mean no theft, so that nobody is alarmed: what an application gives back itself is its own affair. */
const PLAIN = ["revoked by its application", SHOWN_WHILE_BLOCKED];

/** In a transaction of its own: the refusal that leads here must not undo it. */
export async function revokeAuthorization(db: Db, id: number, because: string): Promise<void> {
  await db.transaction(async (tx) => {
    // First, so that an exchange in flight is either waited for or finds the authorization ended.
    const ended = await revokeAuthorizationRow(tx, id, because);
    await endDelegatedTokens(tx, [id]);
    // Whatever else leads here means two hands on one secret.
    if (ended === 0 || PLAIN.includes(because)) return;
    const { userId, uid } = await findGrant(tx, id);
    const details = { uid, because };
    await recordAudit(tx, { action: "reuse_detected", actorId: null, ip: "", userId, details });
  });
}
