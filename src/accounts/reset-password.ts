/** Gives a person a new password, from the console of whoever runs the service. */
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { hashPassword, passwordFault } from "./password.ts";
import { findUserByName } from "./store.ts";
import { deleteSecondFactor } from "./store-second-factor.ts";
import { updatePassword } from "./store-users.ts";

/** Ends every session of the person. @throws Problem not_found; FieldProblem */
export async function resetPassword({ db }: Platform, username: string, password: string): Promise<void> {
  const user = await findUserByName(db, username);
  if (!user) throw new Problem("not_found", `There is no user ${username}.`);
  const fault = passwordFault(password);
  if (fault) throw new FieldProblem({ password: [fault] });
  await updatePassword(db, user.id, await hashPassword(password));
}

/** Turns two-factor sign-in off for someone who lost it all; returns whether it was on. @throws Problem not_found */
export async function disableTwoFactor({ db }: Platform, username: string): Promise<boolean> {
  const user = await findUserByName(db, username);
  if (!user) throw new Problem("not_found", `There is no user ${username}.`);
  return (await deleteSecondFactor(db, user.id)) === 1;
}
