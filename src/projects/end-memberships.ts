/** Deletes memberships that have ended, and records each once; they have no effect after their end, even before this runs. */
import { FROM_SERVICE } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Platform } from "../platform/platform.ts";
import { endings } from "./change-members.ts";
import type { RecordHappenings } from "./happenings.ts";
import { keepLastOwners, takeExpiredMembers } from "./store-members.ts";

/**
 * Returns how many ended. Deletion and event are in one transaction, so that a crash loses nothing. The last owner of a group
 * stays (decision 0165).
 */
export async function endMemberships({ db }: Platform, record: RecordHappenings): Promise<number> {
  let ended = 0;
  for (;;) {
    const taken = await db.transaction(async (tx) => {
      const kept = await keepLastOwners(tx);
      const expired = await takeExpiredMembers(tx);
      const happenings = endings(expired);
      if (happenings.length > 0) await record(tx, happenings);
      for (const { userId, fullPath } of kept) {
        const details = { group: fullPath };
        await recordAudit(tx, { ...FROM_SERVICE, action: "owner_kept", userId, details });
      }
      return expired.length;
    });
    ended += taken;
    if (taken === 0) return ended;
  }
}
