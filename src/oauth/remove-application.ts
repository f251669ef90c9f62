/** Deletes an application with everything that came of it. */
import type { Act } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { type Application, shownName } from "./application.ts";
import { deleteApplication } from "./store.ts";

/** Its secrets, codes, tokens, consents and events are gone from the commit on; the entry in the audit log stays. */
export async function removeApplication(
  db: Db,
  { id, uid, name, ownerId }: Application,
  act: Act,
): Promise<void> {
  await db.transaction(async (tx) => {
    if ((await deleteApplication(tx, id)) === 0) return;
    const details = { application: shownName(name), uid };
    await recordAudit(tx, { ...act, action: "application_deleted", userId: ownerId, details });
  });
}
