/** Grants a person the administrator's role, or withdraws it. */
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { holdActorOver } from "./hold-actor.ts";
import { recordAudit } from "./record-audit.ts";
import { updateAdministrator } from "./store-users.ts";
import type { User } from "./user.ts";

/**
 * Ends the person's sessions, because their rights changed.
 * @param user a person; for other accounts the database refuses it (decision 0139)
 * @throws Problem forbidden: oneself; conflict: no other administrator who can sign in would be left
 */
export function changeAdministrator(db: Db, user: User, isAdmin: boolean, act: Act): Promise<void> {
  if (user.id === act.actorId) {
    throw new Problem("forbidden", "403 Forbidden - You cannot change your own role.");
  }
  return db.transaction(async (tx) => {
    if (user.isAdmin === isAdmin) return;
    await holdActorOver(tx, act, user.id, { endsAdministrator: !isAdmin });
    if ((await updateAdministrator(tx, user.id, isAdmin)) === 0) {
      throw new Problem("conflict", "There must be another administrator who can sign in.");
    }
    const action = isAdmin ? "admin_granted" : "admin_withdrawn";
    await recordAudit(tx, { ...act, action, userId: user.id });
  });
}
