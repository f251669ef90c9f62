/** Makes whoever accepts an invitation a member of the project or group that it names. */
import type { Join } from "../accounts/invitation.ts";
import { endings } from "./change-members.ts";
import type { RecordHappenings } from "./happenings.ts";
import { insertMember, takeExpiredMembers } from "./store-members.ts";

/** Who is a member already keeps the role they have; one whose end has passed meanwhile becomes none. */
export function joinInvited(record: RecordHappenings): Join {
  return async (tx, { projectId, namespaceId, accessLevel, memberUntil, invitedBy }, userId) => {
    if (accessLevel === null) return;
    const source = projectId === null ? { namespaceId: namespaceId ?? 0 } : { projectId };
    const expired = await takeExpiredMembers(tx, { source, userId });
    const member = { userId, accessLevel, expiresAt: memberUntil, createdBy: invitedBy ?? userId };
    const added = await insertMember(tx, source, member);
    const joined = added > 0 && projectId !== null ? [{ kind: "joined" as const, projectId, userId }] : [];
    await record(tx, [...endings(expired), ...joined]);
  };
}
