/** Deletes an application with everything that was granted to it: on request, and together with its owner (decision 0168). */
import { type Act, FROM_SERVICE } from "../accounts/audit.ts";
import { holdActor } from "../accounts/hold-actor.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db, Queries } from "../platform/db.ts";
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { type Application, auditDetails } from "./application.ts";
import {
  beginRemoval,
  deleteApplication,
  deleteSomeAuthorizations,
  deleteSomeConsents,
  deleteSomeDevices,
  deleteSomeTokens,
  findApplicationInRemoval,
  findApplicationOfPerson,
  type Grantee,
  listApplicationsInRemoval,
} from "./store-removal.ts";

/** Rows of one statement: deleting a million tokens in one would exceed its time limit. */
const AT_ONCE = 5000;

/** Portions of one run; the rest is left for the next. */
const MAX_PORTIONS = 100;

/**
 * Its secrets, codes, tokens, consents and events are gone after the last commit; the entry in the audit log stays. From the
 * first commit on it gets no new tokens. An interrupted removal is continued by repeating it, or by the service.
 * @param mayGoOn called before each portion
 * @returns whether it is gone
 * @throws as `holdActor`; once it has begun, it ends whatever becomes of the actor
 */
export async function removeApplication(
  db: Db,
  application: Application,
  act: Act,
  mayGoOn: () => boolean = () => true,
): Promise<boolean> {
  await db.transaction(async (tx) => {
    await holdActor(tx, act);
    await beginRemoval(tx, application.id, act);
  });
  return goOnRemovingOne(db, application, act, mayGoOn);
}

/** Continues a removal that has begun. @returns whether it is gone */
export async function goOnRemovingOne(
  db: Db,
  application: Application,
  act: Act,
  mayGoOn: () => boolean,
): Promise<boolean> {
  while (mayGoOn()) {
    if ((await removeSome(db, application.id, AT_ONCE)) > 0) continue;
    await end(db, application, act);
    return true;
  }
  return false;
}

/** Continues removals that a stop, or the end of a request, has interrupted, without waiting for others that do the same. */
export async function goOnRemoving({ db }: Platform): Promise<void> {
  let portions = MAX_PORTIONS;
  for (const { removalAct, ...application } of await listApplicationsInRemoval(db.pooled)) {
    await goOnRemovingOne(db, application, removalAct, () => portions-- > 0);
  }
}

/**
 * Removes the applications of a person whose account is about to be deleted, and what the person granted to others' applications.
 */
export async function removeGrantsOfPerson(
  { db }: Platform,
  userId: number,
  { actorId, ip }: Act,
): Promise<void> {
  for (;;) {
    const application = await findApplicationOfPerson(db.pooled, userId);
    if (!application) break;
    // Part of an act that was begun: its token or session may have ended since.
    await removeApplication(db, application, { actorId, ip });
  }
  await inPortions(() => removeSomeGrants(db.pooled, { userId }, AT_ONCE));
}

/**
 * Removes some of the rows of applications of a group that is being removed, and each application once it has none left. Returns
 * how many rows, at about most `most`; 0: there is no such application left.
 */
export async function removeSomeOfGroup({ db }: Platform, groupId: number, most: number): Promise<number> {
  const application = await findApplicationInRemoval(db.pooled, groupId);
  if (!application) return 0;
  const removed = await removeSome(db, application.id, most);
  if (removed > 0) return removed;
  await end(db, application, FROM_SERVICE);
  return 1;
}

/** Removes a batch of rows of one kind: of tokens, so that they stop working, while there are some, then consents, then devices. */
async function removeSome({ pooled }: Db, applicationId: number, most: number): Promise<number> {
  return (
    (await removeSomeGrants(pooled, { applicationId }, most)) ||
    (await deleteSomeConsents(pooled, applicationId, most)) ||
    (await deleteSomeDevices(pooled, applicationId, most))
  );
}

async function removeSomeGrants(db: Queries, grantee: Grantee, most: number): Promise<number> {
  return (await deleteSomeTokens(db, grantee, most)) || (await deleteSomeAuthorizations(db, grantee, most));
}

async function end(db: Db, application: Application, act: Act): Promise<void> {
  await db.transaction(async (tx) => {
    if ((await deleteApplication(tx, application.id)) === 0) return;
    const details = auditDetails(application);
    await recordAudit(tx, { ...act, action: "application_deleted", userId: application.ownerId, details });
  });
}
