/** What follows when the first second factor of a person counts. */
import type { Queries } from "../platform/db.ts";
import type { Act } from "./audit.ts";
import { recordAudit } from "./record-audit.ts";
import { renewRecoveryCodes } from "./renew-recovery-codes.ts";
import { deleteSessionsOfUser } from "./store-sessions.ts";

/** Makes recovery codes and returns them to be shown once; ends every session, because the password alone opened them. */
export async function enterTwoFactor(tx: Queries, userId: number, act: Act): Promise<string[]> {
  const codes = await renewRecoveryCodes(tx, userId);
  await deleteSessionsOfUser(tx, userId);
  await recordAudit(tx, { ...act, action: "two_factor_on", userId });
  return codes;
}
