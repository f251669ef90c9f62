/** Removes what is long over, from waiting requests to empty authorizations, and renews the keys that grew old. */
import type { Platform } from "../platform/platform.ts";
import { currentSigningKey } from "./current-signing-key.ts";
import { SIGNING_ALGORITHMS } from "./signing-key.ts";
import { deleteExpiredSecrets } from "./store.ts";
import { deleteOldApplicationEvents } from "./store-application-events.ts";
import { deleteEmptyAuthorizations, deleteExpiredRequests } from "./store-authorizations.ts";
import { deleteOldCodes, deleteOldRefreshTokens } from "./store-codes.ts";
import { deleteOldDevices } from "./store-devices.ts";
import { deleteOldSigningKeys } from "./store-openid.ts";

export async function sweepOauth(platform: Platform): Promise<void> {
  const slow = platform.db.pooled;
  await deleteExpiredRequests(slow);
  await deleteExpiredSecrets(slow);
  await deleteOldCodes(slow);
  await deleteOldRefreshTokens(slow);
  await deleteOldDevices(slow);
  await deleteEmptyAuthorizations(slow);
  await deleteOldApplicationEvents(slow);
  // Ahead of the first request that needs it, since making a key takes a moment.
  for (const algorithm of SIGNING_ALGORITHMS) await currentSigningKey(platform, algorithm);
  await deleteOldSigningKeys(slow);
}
