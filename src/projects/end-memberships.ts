/** Takes away memberships whose time is over and tells of each once; they count no longer already before. */
import type { Platform } from "../platform/platform.ts";
import { endings } from "./change-members.ts";
import type { RecordHappenings } from "./happenings.ts";
import { takeExpiredMembers } from "./store-members.ts";

/** Returns how many ended. Taking away and telling are one transaction, so that a crash between them loses nothing. */
export async function endMemberships({ db }: Platform, record: RecordHappenings): Promise<number> {
  let ended = 0;
  for (;;) {
    const taken = await db.transaction(async (tx) => {
      const expired = await takeExpiredMembers(tx);
      const happenings = endings(expired);
      if (happenings.length > 0) await record(tx, happenings);
      return expired.length;
    });
    ended += taken;
    if (taken === 0) return ended;
  }
}
