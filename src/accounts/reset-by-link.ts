/** Sets a new password for the holder of a one-time link. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { checkContext } from "./context-words.ts";
import { checkNewPassword, hashPassword } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { findUser } from "./store.ts";
import { lockPeopleOfLink, spendPasswordLink, updatePassword } from "./store-users.ts";

/**
 * Spends a link; of concurrent requests one wins. Ends every session; the second factor stays.
 * @throws FieldProblem: the new password is not allowed, and the link stays valid; Problem not_found: no such link any more
 */
export async function resetByLink(
  { db, config: { publicUrl } }: Platform,
  { secret, password, ip }: { secret: string; password: string; ip: string },
): Promise<void> {
  checkNewPassword(password);
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    const key = digest(secret);
    await lockPeopleOfLink(tx, key);
    const spent = await spendPasswordLink(tx, key);
    if (!spent) throw new Problem("not_found", "404 Not Found");
    const user = await findUser(tx, spent.userId);
    if (user) checkContext(password, { ...user, publicUrl });
    await updatePassword(tx, spent.userId, passwordHash);
    await recordAudit(tx, { actorId: null, ip, action: "password_reset", userId: spent.userId });
  });
}
