/** Carries out what a person decided about a device that waits. */
import type { Db } from "../platform/db.ts";
import type { Decision } from "./device.ts";
import { lockPerson, upsertConsent } from "./store-authorizations.ts";
import { decideWaitingDevice } from "./store-devices.ts";
import { lockProof } from "./store-openid.ts";

/**
 * `late` when somebody answered before, or the code has expired meanwhile; `signed out` when the session has ended, with
 * a new password for one: asked once more while the person is held.
 */
export async function answerDevice(
  db: Db,
  userCodeHash: string,
  { decision, userId, session }: { decision: Decision; userId: number; session: Buffer },
): Promise<"done" | "late" | "signed out"> {
  return db.transaction(async (tx) => {
    await lockPerson(tx, userId);
    const proof = await lockProof(tx, session, userId);
    if (!proof) return "signed out";
    const decided = await decideWaitingDevice(tx, userCodeHash, { decision, userId, ...proof });
    if (!decided) return "late";
    if (decision === "allowed") await upsertConsent(tx, userId, decided.applicationId, decided.scopes);
    return "done";
  });
}
