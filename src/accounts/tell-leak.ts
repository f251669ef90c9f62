/** Notifies people of a leaked secret that they must renew themselves. */
import type { Db } from "../platform/db.ts";
import { lockName } from "../platform/lock-name.ts";
import type { AuditNote } from "./audit.ts";
import type { Leak } from "./leak.ts";
import { recordAudit } from "./record-audit.ts";
import { wasLeakTold } from "./store-audit.ts";

/**
 * Records an entry for each of them, which also sends a mail; at most once a day, since the secret stays valid and may be
 * reported repeatedly.
 * @param userIds empty: administrators find the entry in the audit log
 */
export function tellLeak(
  db: Db,
  leak: Leak,
  userIds: readonly number[],
  more: NonNullable<AuditNote["details"]>,
): Promise<void> {
  const sha256 = String(leak.details.sha256);
  return db.transaction(async (tx) => {
    await lockName(tx, `leak ${sha256}`);
    if (await wasLeakTold(tx, sha256)) return;
    const details = { ...leak.details, ...more };
    for (const userId of userIds.length > 0 ? userIds : [null]) {
      await recordAudit(tx, { action: "secret_leaked", actorId: null, ip: leak.ip, userId, details });
    }
  });
}
