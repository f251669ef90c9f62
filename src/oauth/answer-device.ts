/** Carries out a person's decision about a waiting device. */
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { auditDetails } from "./application.ts";
import { forgottenScopes } from "./consent.ts";
import type { Decision } from "./device.ts";
import type { FoundDevice } from "./find-device.ts";
import { lockPerson, upsertConsent } from "./store-authorizations.ts";
import { decideWaitingDevice } from "./store-devices.ts";
import { lockSession } from "./store-openid.ts";

export interface DeviceAnswer {
  decision: Decision;
  /** The scopes that the person allows. */
  scopes: readonly string[];
  userId: number;
  /** The digest of the browser session. */
  session: Buffer;
  ip: string;
}

/**
 * Records the decision while the person and the session are locked. Returns `late` if the device was answered before or its code
 * has expired, and `signed out` if the session has ended, for example by a new password.
 */
export async function answerDevice(
  db: Db,
  device: Pick<
    FoundDevice,
    "userCodeHash" | "applicationName" | "applicationUid" | "selfRegistered" | "scopes"
  >,
  { decision, scopes, userId, session, ip }: DeviceAnswer,
): Promise<"done" | "late" | "signed out"> {
  return db.transaction(async (tx) => {
    await lockPerson(tx, userId);
    const proof = await lockSession(tx, session, userId);
    if (!proof) return "signed out";
    const decided = await decideWaitingDevice(tx, device.userCodeHash, {
      decision,
      scopes,
      userId,
      ...proof,
    });
    if (!decided) return "late";
    if (decision === "allowed") {
      const forgotten = forgottenScopes(device.scopes, scopes);
      await upsertConsent(tx, userId, decided.applicationId, { scopes, forgotten });
    }
    const action = decision === "allowed" ? "access_granted" : "access_denied";
    const { applicationName: name, applicationUid: uid, selfRegistered } = device;
    const details = auditDetails({ name, uid, selfRegistered });
    await recordAudit(tx, {
      action,
      actorId: userId,
      userId,
      ip,
      details: { ...details, flow: "device_code" },
    });
    return "done";
  });
}
