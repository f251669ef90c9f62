/** Gives a person new recovery codes on their request. */
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { holdActor } from "./hold-actor.ts";
import { issueRecoveryCodes } from "./issue-recovery-codes.ts";
import { recordAudit } from "./record-audit.ts";
import { lockFactors } from "./store-second-factor.ts";

/** Returns the codes, which are shown only once. @throws Problem conflict: two-factor sign-in is off */
export function renewRecoveryCodes(db: Db, userId: number, act: Act): Promise<string[]> {
  return db.transaction(async (tx) => {
    const { app, passkeys } = await lockFactors(tx, userId);
    await holdActor(tx, act);
    if (!app && passkeys === 0) throw new Problem("conflict", "Two-factor sign-in is off.");
    const codes = await issueRecoveryCodes(tx, userId);
    await recordAudit(tx, { ...act, action: "recovery_codes_renewed", userId });
    return codes;
  });
}
