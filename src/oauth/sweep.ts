/** Removes what is long over: waiting requests, dead secrets, old codes and refresh tokens, authorizations of which nothing is left. */
import type { Platform } from "../platform/platform.ts";
import { deleteExpiredSecrets } from "./store.ts";
import { deleteEmptyAuthorizations, deleteExpiredRequests } from "./store-authorizations.ts";
import { deleteOldCodes, deleteOldRefreshTokens } from "./store-codes.ts";

export async function sweepOauth({ db }: Platform): Promise<void> {
  const slow = db.pooled;
  await deleteExpiredRequests(slow);
  await deleteExpiredSecrets(slow);
  await deleteOldCodes(slow);
  await deleteOldRefreshTokens(slow);
  await deleteEmptyAuthorizations(slow);
}
