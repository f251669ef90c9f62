/** Deletes what expired long ago, from waiting requests to empty authorizations, and replaces old signing keys. */
import { FROM_SERVICE } from "../accounts/audit.ts";
import { forgetDeadTokens } from "../accounts/forget-dead-tokens.ts";
import type { Db, Queries } from "../platform/db.ts";
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { keepSigningKey } from "./current-signing-key.ts";
import { removeApplication } from "./remove-application.ts";
import { SIGNING_ALGORITHMS } from "./signing-key.ts";
import { deleteExpiredSecrets } from "./store.ts";
import {
  deleteCrowdedEvents,
  deleteOldApplicationEvents,
  listCrowdedApplications,
} from "./store-application-events.ts";
import { deleteEmptyAuthorizations, deleteExpiredRequests } from "./store-authorizations.ts";
import { deleteOldCodes, deleteOldRefreshTokens } from "./store-codes.ts";
import { deleteOldDevices, deleteOldDeviceTries } from "./store-devices.ts";
import { deleteOldSigningKeys } from "./store-openid.ts";
import { deleteExpiredPushed } from "./store-pushed.ts";
import {
  isForgottenRegistration,
  listForgottenRegistrations,
  lockRegistration,
} from "./store-registrations.ts";
import { beginRemoval } from "./store-removal.ts";
import { deleteExpiredProofs } from "./store-used-proofs.ts";

/** Rows per statement, so that each ends within the time limit however long nothing was swept. */
const AT_ONCE = 5000;

/** Portions of one kind in one run; the rest is left for the next. */
const MAX_PORTIONS = 20;

/** Registrations deleted in one run; fewer than that are made meanwhile. */
const MAX_REGISTRATIONS = 200;

export async function sweepOauth(platform: Platform): Promise<void> {
  const slow = platform.db.pooled;
  for (const remove of [
    deleteExpiredRequests,
    deleteExpiredPushed,
    deleteExpiredProofs,
    deleteOldDevices,
    deleteOldDeviceTries,
  ]) {
    await inPortions((most) => remove(slow, most), { portion: AT_ONCE });
  }
  await deleteExpiredSecrets(slow);
  for (const forget of [forgetDeadTokens, deleteOldCodes, deleteOldRefreshTokens]) {
    await inPortions(() => forgetSome(platform.db, forget), { mostPortions: MAX_PORTIONS });
  }
  await deleteOldSigningKeys(slow);
  await sweepRefusals(slow);
  await sweepRegistrations(platform.db);
  // Before the first request that needs the key, since making it takes a moment; last, since it fails without the master key.
  for (const algorithm of SIGNING_ALGORITHMS) await keepSigningKey(platform, algorithm);
}

/** Deletes applications that registered themselves once they are a day old and have no authorization, or none any more. */
async function sweepRegistrations(db: Db): Promise<void> {
  for (const application of await listForgottenRegistrations(db.pooled, MAX_REGISTRATIONS)) {
    if (await beginForgetting(db, application.id)) await removeApplication(db, application, FROM_SERVICE);
  }
}

/** Begins the removal unless somebody has authorized the application meanwhile; from then on it gets no more grants. */
function beginForgetting(db: Db, id: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockRegistration(tx, id);
    if (!(await isForgottenRegistration(tx, id))) return false;
    await beginRemoval(tx, id, FROM_SERVICE);
    return true;
  });
}

/** Deletes old refusals, and those of applications that have too many. */
export async function sweepRefusals(db: Queries): Promise<void> {
  const limits = { portion: AT_ONCE, mostPortions: MAX_PORTIONS };
  await inPortions((most) => deleteOldApplicationEvents(db, most), limits);
  for (const id of await listCrowdedApplications(db)) await deleteCrowdedEvents(db, id);
}

/**
 * Runs one portion, in a short transaction however many rows there are, and deletes the authorizations that are empty then, so
 * that nothing has to search all of them. Returns how many rows were deleted.
 */
function forgetSome(db: Db, forget: (tx: Queries) => Promise<readonly number[]>): Promise<number> {
  return db.transaction(async (tx) => {
    const of = await forget(tx);
    await deleteEmptyAuthorizations(tx, of);
    return of.length;
  });
}
