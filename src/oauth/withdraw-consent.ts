/** Takes back what a person allowed an application. */
import type { Act } from "../accounts/audit.ts";
import { endDelegatedTokens } from "../accounts/end-delegated-tokens.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { type Application, auditDetails } from "./application.ts";
import { deleteConsent, revokeAuthorizationsOfUser } from "./store-authorizations.ts";
import { denyDevicesOfUser } from "./store-devices.ts";

/** Its tokens stop at once, codes and devices that wait are refused, and it must ask again. */
export async function withdrawConsent(
  db: Db,
  userId: number,
  { id: applicationId, ...application }: Pick<Application, "id" | "name" | "uid" | "selfRegistered">,
  act: Act,
): Promise<void> {
  await db.transaction(async (tx) => {
    await deleteConsent(tx, userId, applicationId);
    // First, so that a device in the middle of its exchange is waited for, and its authorization found below.
    await denyDevicesOfUser(tx, userId, applicationId);
    await endDelegatedTokens(
      tx,
      await revokeAuthorizationsOfUser(tx, userId, applicationId, "taken back by its user"),
    );
    const details = auditDetails(application);
    await recordAudit(tx, { ...act, action: "access_withdrawn", userId, details });
  });
}
