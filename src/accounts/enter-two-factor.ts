/** Completes the addition of a second factor. */
import type { Queries } from "../platform/db.ts";
import type { Act, AuditNote } from "./audit.ts";
import { issueRecoveryCodes } from "./issue-recovery-codes.ts";
import { recordAudit } from "./record-audit.ts";
import { deleteOtherSessions, deleteSessionsOfUser } from "./store-sessions.ts";

/**
 * Records the addition. The first factor creates recovery codes, which are returned to be shown once, and ends every session,
 * because the password alone opened them; a later factor returns no codes.
 * @param kept the current session, which stays; the caller must renew its secret
 */
export async function enterTwoFactor(
  tx: Queries,
  userId: number,
  added: Pick<AuditNote, "action" | "details"> & { isFirst: boolean; kept?: Buffer | undefined },
  act: Act,
): Promise<string[]> {
  const { action, details, isFirst, kept } = added;
  const codes = isFirst ? await issueRecoveryCodes(tx, userId) : [];
  if (isFirst) await (kept ? deleteOtherSessions(tx, userId, kept) : deleteSessionsOfUser(tx, userId));
  await recordAudit(tx, { ...act, action, ...(details ? { details } : {}), userId });
  if (isFirst) await recordAudit(tx, { ...act, action: "two_factor_on", userId });
  return codes;
}
