/** Gives a person a new password for the old one. */
import type { Platform } from "../platform/platform.ts";
import { checkPassword } from "./check-password.ts";
import { checkNewPassword, hashPassword } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { revokePersonalTokensOfUser, updatePassword } from "./store-users.ts";

/**
 * Ends every session of the person but `session`, whose secret is to be renewed; personal tokens stay unless `endTokens`.
 * Returns the hash, so that no session begins by it once yet another password has taken its place.
 * @throws FieldProblem: what the new password may not be; Problem forbidden, too_many: as `checkPassword`
 */
export async function changePassword(
  platform: Platform,
  person: { id: number; username: string },
  given: { current: string; next: string; endTokens: boolean; session: Buffer },
  address: string,
): Promise<string> {
  checkNewPassword(given.next);
  await checkPassword(platform, person, given.current, address);
  const passwordHash = await hashPassword(given.next);
  await platform.db.transaction(async (tx) => {
    await updatePassword(tx, person.id, passwordHash, given.session);
    const tokens = given.endTokens ? await revokePersonalTokensOfUser(tx, person.id) : 0;
    const act = { actorId: person.id, ip: address };
    const details = given.endTokens ? { tokens } : {};
    await recordAudit(tx, { ...act, action: "password_changed", userId: person.id, details });
  });
  return passwordHash;
}
