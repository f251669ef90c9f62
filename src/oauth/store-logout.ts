/**
 * Statements that notify applications of the end of a session; most such notices are sent by triggers of the sessions themselves
 * (decision 0154).
 */
import type { Queries } from "../platform/db.ts";
import { sql } from "../platform/sql.ts";

/**
 * Notifies an application that received its tokens only after the session had ended. Does nothing while the session lasts, since
 * its end will notify the application. Waits for a concurrent sign-out. A notification that the application got when the session
 * ended does not count, since it could not end what began only now.
 */
export function notifyOfEndedSession(
  db: Queries,
  late: { applicationId: number; userId: number; sessionSid: string; authorizationId: number },
): Promise<number> {
  return db.run(
    sql`with here as (select sid from sessions where sid = ${late.sessionSid}::uuid for key share)
      select announce_late_logout(a.id, a.backchannel_logout_uri, ${late.userId}::bigint, ${late.sessionSid}::uuid,
        ${late.authorizationId}::bigint)
      from applications a
      where a.id = ${late.applicationId} and a.backchannel_logout_uri <> '' and not exists (select from here)`,
  );
}
