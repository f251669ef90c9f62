/** Makes whoever accepts an invitation a member of the project or group that it names. */
import type { Join } from "../accounts/invitation.ts";
import { endings } from "./change-members.ts";
import type { RecordHappenings } from "./happenings.ts";
import { findMember, insertMember, takeExpiredMembers } from "./store-members.ts";

/** Existing members keep their role; somebody whose membership would have ended by now is not added. */
export function joinInvited(record: RecordHappenings): Join {
  return async (tx, { projectId, namespaceId, accessLevel, memberUntil, invitedBy }, userId) => {
    if (accessLevel === null) return false;
    const source = projectId === null ? { namespaceId: namespaceId ?? 0 } : { projectId };
    const expired = await takeExpiredMembers(tx, { source, userId });
    const member = { userId, accessLevel, expiresAt: memberUntil, createdBy: invitedBy ?? userId };
    const added = await insertMember(tx, source, member);
    const joined = added > 0 && projectId !== null ? [{ kind: "joined" as const, projectId, userId }] : [];
    await record(tx, [...endings(expired), ...joined]);
    return added > 0 || (await findMember(tx, source, userId)) !== undefined;
  };
}
