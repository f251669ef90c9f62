/** Records in the audit log that somebody changed how a project handles its alerts. */
import type { Act, AuditAction, AuditNote } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Queries } from "../platform/db.ts";

/** Called last in a transaction, as for every audit entry; `details` contain no secret and no text of a sender. */
export async function recordChange(
  tx: Queries,
  act: Act,
  action: AuditAction,
  projectPath: string,
  details: NonNullable<AuditNote["details"]>,
): Promise<void> {
  await recordAudit(tx, { ...act, action, userId: null, details: { project: projectPath, ...details } });
}
