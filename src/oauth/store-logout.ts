/** Statements about telling applications that a session is over; most are triggers of the sessions themselves (decision 0154). */
import type { Queries } from "../platform/db.ts";
import { sql } from "../platform/sql.ts";

/**
 * Tells an application of the end of a session that ended before it fetched its tokens, and does nothing while the session
 * lasts: then its end tells. Whoever ends it at this moment is waited for.
 */
export function announceEnded(
  db: Queries,
  late: { applicationId: number; userId: number; sessionSid: string },
): Promise<number> {
  return db.run(
    sql`with here as (select sid from sessions where sid = ${late.sessionSid}::uuid for key share)
      select announce_logout(a.id, a.backchannel_logout_uri, ${late.userId}::bigint, ${late.sessionSid}::uuid)
      from applications a
      where a.id = ${late.applicationId} and a.backchannel_logout_uri <> '' and not exists (select from here)`,
  );
}
