/** Deletes an application with everything that came of it. */
import type { Act } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { inPortions } from "../platform/in-portions.ts";
import { type Application, shownName } from "./application.ts";
import {
  deleteApplication,
  deleteSomeAuthorizations,
  deleteSomeRefreshTokens,
  deleteSomeTokens,
} from "./store.ts";

/** Each ends in its time: of a million tokens in one statement none would. */
const AT_ONCE = 5000;

/**
 * Its secrets, codes, tokens, consents and events are gone from the last commit on; the entry in the audit log stays. Done
 * again after a stop, it goes on.
 */
export async function removeApplication(
  db: Db,
  { id, uid, name, ownerId }: Application,
  act: Act,
): Promise<void> {
  for (const deleteSome of [deleteSomeTokens, deleteSomeRefreshTokens, deleteSomeAuthorizations])
    await inPortions((most) => deleteSome(db.pooled, id, most), { portion: AT_ONCE });
  await db.transaction(async (tx) => {
    if ((await deleteApplication(tx, id)) === 0) return;
    const details = { application: shownName(name), uid };
    await recordAudit(tx, { ...act, action: "application_deleted", userId: ownerId, details });
  });
}
