/** Ends sessions of a person from another of their browsers, and writes it down. */
import type { Db } from "../platform/db.ts";
import { recordAudit } from "./record-audit.ts";
import { deleteOtherSessions, deleteSessionByKey } from "./store-sessions.ts";

/** The one of a key (decision 0044), or all but the one of a digest; returns how many. */
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
