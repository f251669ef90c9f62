/** Sets a person's mail address once it is confirmed. */
import { violatedConstraint } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { putEmail } from "./put-email.ts";
import { spendEmailChange } from "./store-profiles.ts";

/**
 * Spends the link.
 * @throws Problem not_found: the link does not exist, is spent, replaced or expired; conflict: another account has the address
 */
export async function confirmEmail(platform: Platform, secret: string, ip: string): Promise<string> {
  try {
    return await platform.db.transaction(async (tx) => {
      const change = await spendEmailChange(tx, digest(secret));
      if (!change) throw new Problem("not_found", "404 Not Found");
      await putEmail(platform, tx, change.userId, change.email, ip);
      return change.email;
    });
  } catch (error) {
    if (violatedConstraint(error) !== "users_email_key") throw error;
    throw new Problem("conflict", "This address belongs to another account already.");
  }
}
