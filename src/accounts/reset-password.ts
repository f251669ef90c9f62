/** Resets a person's password from the console. */
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { FROM_CONSOLE } from "./audit.ts";
import { hashPassword, passwordFault } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { findUserByName } from "./store.ts";
import { updatePassword } from "./store-users.ts";
import { turnOffTwoFactor } from "./turn-off-two-factor.ts";
import { checkHoldsKeys } from "./user.ts";

/** Ends every session of the person. @throws Problem not_found; unprocessable: an account that never signs in; FieldProblem */
export async function resetPassword({ db }: Platform, username: string, password: string): Promise<void> {
  const user = await findUserByName(db, username);
  if (!user) throw new Problem("not_found", `There is no user ${username}.`);
  checkHoldsKeys(user);
  const fault = passwordFault(password);
  if (fault) throw new FieldProblem({ password: [fault] });
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    await updatePassword(tx, user.id, passwordHash);
    await recordAudit(tx, { ...FROM_CONSOLE, action: "password_reset", userId: user.id });
  });
}

/** Turns two-factor sign-in off for somebody who lost all factors; returns whether it was on. @throws Problem not_found */
export async function disableTwoFactor({ db }: Platform, username: string): Promise<boolean> {
  const user = await findUserByName(db, username);
  if (!user) throw new Problem("not_found", `There is no user ${username}.`);
  return turnOffTwoFactor(db, user.id, FROM_CONSOLE);
}
