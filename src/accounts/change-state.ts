/** Blocks or unblocks a person. */
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { holdActorOver } from "./hold-actor.ts";
import { recordAudit } from "./record-audit.ts";
import { updateState } from "./store-users.ts";
import type { User } from "./user.ts";

/**
 * Blocking ends every session; tokens are refused while it lasts.
 * @throws Problem forbidden: oneself; conflict: no other administrator who can sign in would be left
 */
export function changeState(db: Db, user: User, state: User["state"], act: Act): Promise<void> {
  if (state === "blocked" && user.id === act.actorId) {
    throw new Problem("forbidden", "403 Forbidden - You cannot block yourself.");
  }
  return db.transaction(async (tx) => {
    await holdActorOver(tx, act, user.id, { endsAdministrator: state === "blocked" && user.isAdmin });
    if ((await updateState(tx, user.id, state)) === 0) {
      throw new Problem("conflict", "There must be another administrator who can sign in.");
    }
    const action = state === "blocked" ? "user_blocked" : "user_unblocked";
    if (user.state !== state) await recordAudit(tx, { ...act, action, userId: user.id });
  });
}
