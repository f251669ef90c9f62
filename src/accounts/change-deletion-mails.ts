/** Switches a person's mails about projects and groups marked for deletion off or on (decision 0185). */
import type { Db } from "../platform/db.ts";
import type { Act } from "./audit.ts";
import { recordAudit } from "./record-audit.ts";
import { updateDeletionMails } from "./store-profiles.ts";

/**
 * Recorded in the audit log, which notifies the person by mail when they are switched off: a stolen session cannot do so
 * unnoticed.
 */
export async function changeDeletionMails(
  db: Db,
  userId: number,
  areWanted: boolean,
  act: Act,
): Promise<void> {
  await db.transaction(async (tx) => {
    if ((await updateDeletionMails(tx, userId, areWanted)) === 0) return;
    const action = areWanted ? "deletion_mails_on" : "deletion_mails_off";
    await recordAudit(tx, { ...act, action, userId, details: {} });
  });
}
