/** Turns two-factor sign-in off from the console. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { FROM_CONSOLE } from "./audit.ts";
import { findUserByName } from "./store.ts";
import { turnOffTwoFactor } from "./turn-off-two-factor.ts";

/** For somebody who lost all factors; returns whether it was on. @throws Problem not_found */
export async function disableTwoFactor({ db }: Platform, username: string): Promise<boolean> {
  const user = await findUserByName(db, username);
  if (!user) throw new Problem("not_found", `There is no user ${username}.`);
  return turnOffTwoFactor(db, user.id, FROM_CONSOLE);
}
