/** Carries out what a person decided about a device that waits. */
import type { Db } from "../platform/db.ts";
import type { Decision } from "./device.ts";
import type { ProvenBy } from "./issued.ts";
import { upsertConsent } from "./store-authorizations.ts";
import { decideWaitingDevice } from "./store-devices.ts";

/** False when somebody answered before, or the code has expired meanwhile. */
export async function answerDevice(
  db: Db,
  userCodeHash: string,
  answer: { decision: Decision; userId: number } & ProvenBy,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const decided = await decideWaitingDevice(tx, userCodeHash, answer);
    if (decided && answer.decision === "allowed") {
      await upsertConsent(tx, answer.userId, decided.applicationId, decided.scopes);
    }
    return decided !== undefined;
  });
}
