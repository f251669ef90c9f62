/** Resets a person's password from the console. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { FROM_CONSOLE } from "./audit.ts";
import { checkNewPassword, hashPassword } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { findUserByName } from "./store.ts";
import { updatePassword } from "./store-users.ts";
import { checkHoldsKeys } from "./user.ts";

/** Ends every session of the person. @throws Problem not_found; unprocessable: an account that never signs in; FieldProblem */
export async function resetPassword({ db }: Platform, username: string, password: string): Promise<void> {
  const user = await findUserByName(db, username);
  if (!user) throw new Problem("not_found", `There is no user ${username}.`);
  checkHoldsKeys(user);
  checkNewPassword(password);
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    await updatePassword(tx, user.id, passwordHash);
    await recordAudit(tx, { ...FROM_CONSOLE, action: "password_reset", userId: user.id });
  });
}
