/** Reads, changes and withdraws invitations of one place; the caller checks who may. */
import type { Db, Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { holdActor } from "./hold-actor.ts";
import type { Invitation } from "./invitation.ts";
import { recordAudit } from "./record-audit.ts";
import {
  countInvitations,
  deleteInvitations,
  type InvitationFilter,
  listInvitations,
  updateInvitation,
} from "./store-invitations.ts";

/** Returns a page of them, newest first, and their number. */
export async function findInvitations(
  db: Queries,
  filter: InvitationFilter,
  page: { limit: number; offset: number },
): Promise<{ invitations: Invitation[]; total: number }> {
  const [invitations, total] = await Promise.all([
    listInvitations(db, filter, page),
    countInvitations(db, filter),
  ]);
  return { invitations, total };
}

/** Returns the invitation that the filter names. @throws Problem not_found */
export async function invitationFor(db: Queries, filter: InvitationFilter): Promise<Invitation> {
  const [found] = await listInvitations(db, filter, { limit: 1, offset: 0 });
  if (!found) throw new Problem("not_found", "404 Not found");
  return found;
}

/** An undefined role or end keeps the current one; the actor is the inviter now. @throws Problem not_found; as `holdActor` */
export async function changeInvitation(
  db: Db,
  filter: InvitationFilter,
  change: { accessLevel: number | undefined; memberUntil: Date | null | undefined },
  act: Act & { actorId: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdActor(tx, act);
    const changed = await updateInvitation(tx, filter, { ...change, invitedBy: act.actorId });
    if (changed === 0) throw new Problem("not_found", "404 Not found");
  });
}

/** Makes the link invalid at once. @throws Problem not_found; as `holdActor` */
export async function withdrawInvitation(db: Db, filter: InvitationFilter, act: Act): Promise<void> {
  await db.transaction(async (tx) => {
    await holdActor(tx, act);
    if ((await deleteInvitations(tx, filter)) === 0) throw new Problem("not_found", "404 Not found");
    await recordAudit(tx, { ...act, action: "invitation_withdrawn", userId: null });
  });
}
