/** Makes whoever accepts an invitation a member of the project or group that it names. */
import type { Invitation, Join } from "../accounts/invitation.ts";
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { endings, reaches } from "./change-members.ts";
import type { RecordHappenings } from "./happenings.ts";
import { holdLevel } from "./hold-level.ts";
import type { MemberSource } from "./member.ts";
import { findMember, hasRole, insertMember, takeExpiredMembers } from "./store-members.ts";

/** Existing members keep their role; somebody whose membership would have ended by now is not added. */
export function joinInvited(record: RecordHappenings): Join {
  return async (tx, invitation, userId) => {
    const { projectId, namespaceId, accessLevel, memberUntil, invitedBy } = invitation;
    if (accessLevel === null) return "outside";
    const source = projectId === null ? { namespaceId: namespaceId ?? 0 } : { projectId };
    if (!(await mayInvite(tx, invitation, source, userId))) throw new Problem("not_found", "404 Not Found");
    const expired = await takeExpiredMembers(tx, { source, userId });
    const member = { userId, accessLevel, expiresAt: memberUntil, createdBy: invitedBy ?? userId };
    const added = await insertMember(tx, source, member);
    const joined = added > 0 && projectId !== null ? [{ kind: "joined" as const, projectId, userId }] : [];
    await record(tx, [...endings(expired), ...joined]);
    if (added > 0 || (await findMember(tx, source, userId))) return "member";
    return (await hasRole(tx, source, userId)) ? "inside" : "outside";
  };
}

/** Whether the inviter still may (decision 0148): they may be losing the role while the invitation is accepted. */
async function mayInvite(
  tx: Queries,
  { invitedBy, accessLevel }: Invitation,
  source: MemberSource,
  userId: number,
): Promise<boolean> {
  if (invitedBy === null) return true;
  try {
    // As far as the account has that role: an invitation by an administrator needs no membership.
    const inviter = { id: invitedBy, isAdmin: true };
    return reaches(await holdLevel(tx, inviter, source, [userId]), accessLevel ?? 0);
  } catch (error) {
    if (error instanceof Problem && (error.kind === "forbidden" || error.kind === "not_found")) return false;
    throw error;
  }
}
