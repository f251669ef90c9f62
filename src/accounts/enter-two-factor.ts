/** What follows when the first second factor of a person counts. */
import type { Queries } from "../platform/db.ts";
import type { Act } from "./audit.ts";
import { recordAudit } from "./record-audit.ts";
import { renewRecoveryCodes } from "./renew-recovery-codes.ts";
import { deleteOtherSessions, deleteSessionsOfUser } from "./store-sessions.ts";

/**
 * Makes recovery codes and returns them to be shown once; ends every session, because the password alone opened them.
 * @param kept the session in which it happens goes on; whoever keeps it renews its secret
 */
export async function enterTwoFactor(
  tx: Queries,
  userId: number,
  act: Act,
  kept?: Buffer,
): Promise<string[]> {
  const codes = await renewRecoveryCodes(tx, userId);
  await (kept ? deleteOtherSessions(tx, userId, kept) : deleteSessionsOfUser(tx, userId));
  await recordAudit(tx, { ...act, action: "two_factor_on", userId });
  return codes;
}
