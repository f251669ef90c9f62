/** Ends an authorization with every code and token that follows from it. */
import { endDelegatedTokens } from "../accounts/end-delegated-tokens.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { revokeAuthorizationRow } from "./store-authorizations.ts";
import { findGrant } from "./store-facts.ts";

/** In a transaction of its own: the refusal that leads here must not undo it. */
export async function revokeAuthorization(db: Db, id: number, because: string): Promise<void> {
  await db.transaction(async (tx) => {
    // First, so that an exchange in flight is either waited for or finds the authorization ended.
    const ended = await revokeAuthorizationRow(tx, id, because);
    await endDelegatedTokens(tx, [id]);
    // What an application gives back itself is its own affair; whatever else leads here means two hands on one secret.
    if (ended === 0 || because === "revoked by its application") return;
    const { userId, uid } = await findGrant(tx, id);
    const details = { uid, because };
    await recordAudit(tx, { action: "reuse_detected", actorId: null, ip: "", userId, details });
  });
}
