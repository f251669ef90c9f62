/** Sets a person's mail address once it is confirmed. */
import { violatedConstraint } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { putEmail } from "./put-email.ts";
import { spendEmailChange } from "./store-profiles.ts";

/**
 * Spends the link; returns the address, and whose it is now.
 * @param viewerId who is signed in; undefined: nobody, the link suffices
 * @throws Problem not_found: the link does not exist, is spent, replaced or expired; forbidden: somebody else is signed in, who
 *   would confirm their own mailbox for another account; conflict: another account has the address
 */
export async function confirmEmail(
  platform: Platform,
  secret: string,
  { viewerId, ip }: { viewerId: number | undefined; ip: string },
): Promise<{ email: string; username: string }> {
  try {
    return await platform.db.transaction(async (tx) => {
      const change = await spendEmailChange(tx, digest(secret));
      if (!change) throw new Problem("not_found", "404 Not Found");
      if (viewerId !== undefined && viewerId !== change.userId) {
        throw new Problem("forbidden", `This link belongs to @${change.username}.`);
      }
      await putEmail(platform, tx, change.userId, change.email, ip);
      return change;
    });
  } catch (error) {
    if (violatedConstraint(error) !== "users_email_key") throw error;
    throw new Problem("conflict", "This address belongs to another account already.");
  }
}
