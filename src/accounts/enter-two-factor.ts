/** What follows when a second factor of a person counts. */
import type { Queries } from "../platform/db.ts";
import type { Act, AuditNote } from "./audit.ts";
import { recordAudit } from "./record-audit.ts";
import { renewRecoveryCodes } from "./renew-recovery-codes.ts";
import { deleteOtherSessions, deleteSessionsOfUser } from "./store-sessions.ts";

/**
 * Writes down what was added. The first one brings recovery codes, which are returned to be shown once, and ends every
 * session, because the password alone opened them; of a later one there are none.
 * @param kept the session in which it happens goes on; whoever keeps it renews its secret
 */
export async function enterTwoFactor(
  tx: Queries,
  userId: number,
  added: Pick<AuditNote, "action" | "details"> & { isFirst: boolean; kept?: Buffer | undefined },
  act: Act,
): Promise<string[]> {
  const { action, details, isFirst, kept } = added;
  const codes = isFirst ? await renewRecoveryCodes(tx, userId) : [];
  if (isFirst) await (kept ? deleteOtherSessions(tx, userId, kept) : deleteSessionsOfUser(tx, userId));
  await recordAudit(tx, { ...act, action, ...(details ? { details } : {}), userId });
  if (isFirst) await recordAudit(tx, { ...act, action: "two_factor_on", userId });
  return codes;
}
