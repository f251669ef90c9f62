/** The right to invite to a project or group, as it is at the moment of the change (decision 0322). */
import type { Act } from "../accounts/audit.ts";
import { checkLevel } from "./change-members.ts";
import { actorOf, holdLevel } from "./hold-level.ts";
import type { MemberSource } from "./member.ts";

/**
 * Returns what an act on the place's invitations checks again: that the actor may still give this role there (decision 0111).
 * @param accessLevel 0: no particular role
 */
export function holdInviter(
  actorId: number,
  source: MemberSource,
  accessLevel: number,
): NonNullable<Act["right"]> {
  return async (tx) => checkLevel(await holdLevel(tx, actorOf(actorId), source, []), accessLevel);
}
