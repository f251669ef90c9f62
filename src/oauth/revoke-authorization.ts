/** Ends an authorization with every code and token that follows from it. */
import { endDelegatedTokens } from "../accounts/end-delegated-tokens.ts";
import type { Db } from "../platform/db.ts";
import { revokeAuthorizationRow } from "./store-authorizations.ts";

/** In a transaction of its own: the refusal that leads here must not undo it. */
export async function revokeAuthorization(db: Db, id: number, because: string): Promise<void> {
  await db.transaction(async (tx) => {
    // First, so that an exchange in flight is either waited for or finds the authorization ended.
    await revokeAuthorizationRow(tx, id, because);
    await endDelegatedTokens(tx, [id]);
  });
}
