/** Ends the access tokens that follow from approvals: replayed, refreshed, revoked or withdrawn. */
import type { Queries } from "../platform/db.ts";
import { revokeTokensOfAuthorizations } from "./store.ts";

/** From the commit of `tx` on, no process accepts a token of these authorizations; later ones are not touched. */
export async function endDelegatedTokens(tx: Queries, authorizationIds: readonly number[]): Promise<void> {
  if (authorizationIds.length > 0) await revokeTokensOfAuthorizations(tx, authorizationIds);
}
