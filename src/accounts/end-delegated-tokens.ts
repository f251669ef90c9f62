/** Revokes the access tokens of authorizations, after replay, refresh, revocation or withdrawal. */
import type { Queries } from "../platform/db.ts";
import { revokeTokensOfAuthorizations } from "./store.ts";

/** After the commit of `tx` no process accepts a token of these authorizations; tokens issued later are not affected. */
export async function endDelegatedTokens(tx: Queries, authorizationIds: readonly number[]): Promise<void> {
  if (authorizationIds.length > 0) await revokeTokensOfAuthorizations(tx, authorizationIds);
}
