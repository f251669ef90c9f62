/** Gives a person a new password that they chose: with the old one, or by a one-time link. */
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import type { Act } from "./audit.ts";
import { checkPassword } from "./check-password.ts";
import { hashPassword, passwordFault } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import {
  insertPasswordLink,
  revokePersonalTokensOfUser,
  spendPasswordLink,
  updatePassword,
} from "./store-users.ts";

/** How long a link for a new password lives. */
export const PASSWORD_LINK_SECONDS = 24 * 3600;

/**
 * Ends every session of the person; personal tokens stay unless `endTokens`.
 * @throws FieldProblem: what the new password may not be; Problem forbidden, too_many: as `checkPassword`
 */
export async function changePassword(
  platform: Platform,
  person: { id: number; username: string },
  given: { current: string; next: string; endTokens: boolean },
  address: string,
): Promise<void> {
  checkNewPassword(given.next);
  await checkPassword(platform, person, given.current, address);
  const passwordHash = await hashPassword(given.next);
  await platform.db.transaction(async (tx) => {
    await updatePassword(tx, person.id, passwordHash);
    const tokens = given.endTokens ? await revokePersonalTokensOfUser(tx, person.id) : 0;
    const act = { actorId: person.id, ip: address };
    const details = given.endTokens ? { tokens } : {};
    await recordAudit(tx, { ...act, action: "password_changed", userId: person.id, details });
  });
}

/** A one-time link by which the person sets a new password; the links before it end. */
export async function createPasswordLink(
  { db, config }: Platform,
  userId: number,
  act: Act,
): Promise<string> {
  const secret = newSecret("passwordLink");
  await db.transaction(async (tx) => {
    const link = { digest: digest(secret), userId, createdBy: act.actorId };
    await insertPasswordLink(tx, link, PASSWORD_LINK_SECONDS);
    await recordAudit(tx, { ...act, action: "password_link_created", userId });
  });
  return `${config.publicUrl}/users/password/edit?reset_password_token=${secret}`;
}

/**
 * Spends a link; of several at once one wins. Ends every session; the second factor stays as it is.
 * @throws FieldProblem: what the new password may not be, and the link stays; Problem not_found: no such link any more
 */
export async function resetByLink({ db }: Platform, secret: string, next: string, ip: string): Promise<void> {
  checkNewPassword(next);
  const passwordHash = await hashPassword(next);
  await db.transaction(async (tx) => {
    const spent = await spendPasswordLink(tx, digest(secret));
    if (!spent) throw new Problem("not_found", "404 Not Found");
    await updatePassword(tx, spent.userId, passwordHash);
    await recordAudit(tx, { actorId: null, ip, action: "password_reset", userId: spent.userId });
  });
}

function checkNewPassword(password: string): void {
  const fault = passwordFault(password);
  if (fault) throw new FieldProblem({ password: [fault] });
}
