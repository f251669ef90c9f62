/** Deletes an application with everything that came of it: as somebody asks for it, and with its owner (decision 0168). */
import { type Act, FROM_SERVICE } from "../accounts/audit.ts";
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

/** Each ends in its time: of a million tokens in one statement none would. */
const AT_ONCE = 5000;

/** Portions of one round; what is left over goes in the next. */
const MOST_PORTIONS = 100;

/**
 * Its secrets, codes, tokens, consents and events are gone from the last commit on; the entry in the audit log stays. From
 * the first on it gets nothing new. After a stop it goes on, done again or by itself.
 * @param mayGoOn asked before each portion
 * @returns whether it is gone
 */
export async function removeApplication(
  db: Db,
  application: Application,
  act: Act,
  mayGoOn: () => boolean = () => true,
): Promise<boolean> {
  await beginRemoval(db.pooled, application.id, act);
  while (mayGoOn()) {
    if ((await removeSome(db, application.id, AT_ONCE)) > 0) continue;
    await end(db, application, act);
    return true;
  }
  return false;
}

/** Goes on with what a stop, or the end of a request, has interrupted; whoever else is at it is not waited for. */
export async function goOnRemoving({ db }: Platform): Promise<void> {
  let portions = MOST_PORTIONS;
  for (const { removalAct, ...application } of await listApplicationsInRemoval(db.pooled)) {
    await removeApplication(db, application, removalAct, () => portions-- > 0);
  }
}

/** The applications of a person whose account ends next, and what was granted to that person at those of others. */
export async function removeGrantsOfPerson({ db }: Platform, userId: number, act: Act): Promise<void> {
  for (;;) {
    const application = await findApplicationOfPerson(db.pooled, userId);
    if (!application) break;
    await removeApplication(db, application, act);
  }
  await inPortions(() => removeSomeGrants(db.pooled, { userId }, AT_ONCE));
}

/**
 * Removes some of what came of the applications of a group that is being removed, and each of them once nothing is left of
 * it. Returns how much, in rows at about most `most`; 0: there is no such application any more.
 */
export async function removeSomeOfGroup({ db }: Platform, groupId: number, most: number): Promise<number> {
  const application = await findApplicationInRemoval(db.pooled, groupId);
  if (!application) return 0;
  const removed = await removeSome(db, application.id, most);
  if (removed > 0) return removed;
  await end(db, application, FROM_SERVICE);
  return 1;
}

/** Of the first kind of which there is any: the tokens, which end with it, before what is only remembered. */
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
