/** Changes a person's password, which requires the current one. */
import type { Platform } from "../platform/platform.ts";
import { checkPassword } from "./check-password.ts";
import { checkNewPassword, hashPassword } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { revokePersonalTokensOfUser, updatePassword } from "./store-users.ts";

/**
 * Ends every session of the person except `session`, whose secret the caller must renew; personal tokens stay unless `endTokens`.
 * Returns the new hash, so that the caller begins no session after yet another change of the password.
 * @throws FieldProblem: an invalid new password; Problem forbidden, too_many: as `checkPassword`
 */
export async function changePassword(
  platform: Platform,
  person: { id: number; username: string },
  given: { current: string; next: string; endTokens: boolean; session: Buffer },
  address: string,
): Promise<string> {
  checkNewPassword(given.next);
  await checkPassword(platform, person, { password: given.current, address });
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
