/** Removes a passkey. */
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { holdActor } from "./hold-actor.ts";
import { recordAudit } from "./record-audit.ts";
import { deletePasskey } from "./store-passkeys.ts";
import { deleteSecondFactors, lockFactors } from "./store-second-factor.ts";

/**
 * Without another second factor, turns two-factor sign-in off and deletes the recovery codes. Returns whether it is still on.
 * @throws Problem not_found: this person has no such passkey
 */
export function removePasskey(db: Db, userId: number, passkeyId: number, act: Act): Promise<boolean> {
  return db.transaction(async (tx) => {
    const before = await lockFactors(tx, userId);
    await holdActor(tx, act);
    const name = await deletePasskey(tx, userId, passkeyId);
    if (name === undefined) throw new Problem("not_found", "404 Not Found");
    const stillOn = before.app || before.passkeys > 1;
    if (!stillOn) await deleteSecondFactors(tx, userId);
    await recordAudit(tx, { ...act, action: "passkey_removed", userId, details: { name } });
    if (!stillOn) await recordAudit(tx, { ...act, action: "two_factor_off", userId });
    return stillOn;
  });
}
