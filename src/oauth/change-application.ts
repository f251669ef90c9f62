/** Changes what an application is and may ask for. */
import type { Act } from "../accounts/audit.ts";
import { endDelegatedTokens } from "../accounts/end-delegated-tokens.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { covers } from "../accounts/scope.ts";
import type { Db } from "../platform/db.ts";
import { FieldProblem } from "../platform/problem.ts";
import {
  type Application,
  type ApplicationFields,
  applicationFaults,
  shownName,
  trustFaults,
} from "./application.ts";
import { updateApplication } from "./store.ts";
import { updateTrusted } from "./store-applications.ts";
import { lockAuthorizationsOfApplication, revokeAuthorizations } from "./store-authorizations.ts";

/**
 * What the application may no longer ask for, nobody may hold through it: authorizations beyond the new scopes end
 * with their tokens, in the same transaction (decision 0015).
 * What is no longer confidential is no longer trusted either.
 * @param trusted undefined: as it was; only administrators may say otherwise
 * @throws FieldProblem what a field may not be
 */
export async function changeApplication(
  db: Db,
  before: Application,
  fields: ApplicationFields,
  act: Act,
  trusted?: boolean,
): Promise<void> {
  const { id, uid, ownerId } = before;
  const faults = { ...applicationFaults(fields), ...trustFaults(trusted ?? false, fields.confidential) };
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
  await db.transaction(async (tx) => {
    await updateApplication(tx, id, fields);
    await updateTrusted(tx, id, trusted ?? before.trusted);
    const living = await lockAuthorizationsOfApplication(tx, id);
    const beyond = living.filter(({ scopes }) => !covers(fields.scopes, scopes)).map((found) => found.id);
    if (beyond.length > 0) {
      await revokeAuthorizations(tx, beyond, "application may no longer ask for the scopes");
      await endDelegatedTokens(tx, beyond);
    }
    const details = { application: shownName(fields.name), uid };
    await recordAudit(tx, { ...act, action: "application_changed", userId: ownerId, details });
  });
}
