/** Carries out a denial: uses up the pushed request and records the denial in the audit log (RFC 9126 §4). */
import type { Act } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { type Application, auditDetails } from "./application.ts";
import { answeredMeanwhile } from "./pushed-request.ts";
import { spendPushedRequest } from "./store-pushed.ts";

/**
 * Does both or neither: a denial after another answer has no effect.
 * @param pushed the pushed request that is denied; null: the request was not pushed
 * @throws PushedRefused: the pushed request was answered already
 */
export function denyAuthorization(
  db: Db,
  act: Act & { actorId: number },
  application: Application,
  pushed: Buffer | null,
): Promise<void> {
  return db.transaction(async (tx) => {
    if (pushed && (await spendPushedRequest(tx, pushed)) === 0) throw answeredMeanwhile(application);
    const details = auditDetails(application);
    await recordAudit(tx, { ...act, action: "access_denied", userId: act.actorId, details });
  });
}
