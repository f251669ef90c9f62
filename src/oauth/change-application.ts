/** Changes what an application is and may ask for. */
import type { Act } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
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

/**
 * What the application may no longer ask for, no token of its people opens any more: each lookup narrows a token to the
 * scopes that its application has at that moment (decision 0029).
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
    await updateTrusted(tx, id, trusted);
    const details = { application: shownName(fields.name), uid };
    await recordAudit(tx, { ...act, action: "application_changed", userId: ownerId, details });
  });
}
