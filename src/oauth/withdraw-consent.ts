/** Withdraws a person's consent to an application. */
import type { Act } from "../accounts/audit.ts";
import { endDelegatedTokens } from "../accounts/end-delegated-tokens.ts";
import { holdActorOver } from "../accounts/hold-actor.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { type Application, auditDetails } from "./application.ts";
import { deleteConsent, revokeAuthorizationsOfUser } from "./store-authorizations.ts";
import { denyDevicesOfUser } from "./store-devices.ts";

/** Ends its tokens at once, once what was begun with them is done; refuses its codes and devices, and makes it ask again. */
export async function withdrawConsent(
  db: Db,
  userId: number,
  { id: applicationId, ...application }: Pick<Application, "id" | "name" | "uid" | "selfRegistered">,
  act: Act,
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdActorOver(tx, act, userId, { endsAdministrator: false });
    await deleteConsent(tx, userId, applicationId);
    // First, so that a concurrent exchange of a device is waited for, and its authorization is found below.
    await denyDevicesOfUser(tx, userId, applicationId);
    await endDelegatedTokens(
      tx,
      await revokeAuthorizationsOfUser(tx, userId, applicationId, "taken back by its user"),
    );
    const details = auditDetails(application);
    await recordAudit(tx, { ...act, action: "access_withdrawn", userId, details });
  });
}
