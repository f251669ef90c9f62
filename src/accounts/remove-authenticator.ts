/** Removes the authenticator app of a person who has passkeys. */
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { holdActor } from "./hold-actor.ts";
import { recordAudit } from "./record-audit.ts";
import { deleteSecret, lockFactors } from "./store-second-factor.ts";

/** @throws Problem conflict: it is the only second factor, so that two-factor sign-in must be turned off instead */
export function removeAuthenticator(db: Db, userId: number, act: Act): Promise<void> {
  return db.transaction(async (tx) => {
    const before = await lockFactors(tx, userId);
    await holdActor(tx, act);
    if (!before.app || before.passkeys === 0) {
      throw new Problem("conflict", "Only an authenticator app beside a passkey can be removed alone.");
    }
    await deleteSecret(tx, userId);
    await recordAudit(tx, { ...act, action: "authenticator_removed", userId });
  });
}
