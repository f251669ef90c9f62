/** Turns two-factor sign-in off. */
import type { Db } from "../platform/db.ts";
import type { Act } from "./audit.ts";
import { recordAudit } from "./record-audit.ts";
import { deleteSecondFactor } from "./store-second-factor.ts";

/** Returns whether it was on. Whoever calls has asked for the password, or is the console. */
export function turnOffTwoFactor(db: Db, userId: number, act: Act): Promise<boolean> {
  return db.transaction(async (tx) => {
    if ((await deleteSecondFactor(tx, userId)) === 0) return false;
    await recordAudit(tx, { ...act, action: "two_factor_off", userId });
    return true;
  });
}
