/** Ends sessions of a person from another of their browsers, and records it in the audit log. */
import type { Db } from "../platform/db.ts";
import { recordAudit } from "./record-audit.ts";
import { deleteOtherSessions, deleteSessionByKey } from "./store-sessions.ts";

/** Ends the session of a key (decision 0044), or all but that of a digest; returns their number. */
export function endSessions(
  db: Db,
  userId: number,
  which: { key: string } | { allBut: Buffer },
  ip: string,
): Promise<number> {
  return db.transaction(async (tx) => {
    const sessions = await ("key" in which
      ? deleteSessionByKey(tx, userId, which.key)
      : deleteOtherSessions(tx, userId, which.allBut));
    const note = { action: "session_ended", actorId: userId, userId, ip, details: { sessions } } as const;
    if (sessions > 0) await recordAudit(tx, note);
    return sessions;
  });
}
