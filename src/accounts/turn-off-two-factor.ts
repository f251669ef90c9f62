/** Turns two-factor sign-in off. */
import type { Db } from "../platform/db.ts";
import type { Act } from "./audit.ts";
import { holdActor } from "./hold-actor.ts";
import { recordAudit } from "./record-audit.ts";
import { deleteSecondFactors, lockFactors } from "./store-second-factor.ts";

/**
 * Deletes the app, all passkeys and the recovery codes; returns whether two-factor sign-in was on. The caller has checked the
 * password, or is the console.
 */
export function turnOffTwoFactor(db: Db, userId: number, act: Act): Promise<boolean> {
  return db.transaction(async (tx) => {
    const before = await lockFactors(tx, userId);
    await holdActor(tx, act);
    if (!before.app && before.passkeys === 0) return false;
    await deleteSecondFactors(tx, userId);
    await recordAudit(tx, { ...act, action: "two_factor_off", userId });
    return true;
  });
}
