/** Lets people sign in whose last attempt was at a time that was wrong. */
import type { Queries } from "../platform/db.ts";
import { updateStepsAhead } from "./store-second-factor.ts";
import { deleteFailuresAhead } from "./store-sign-in-failures.ts";

/**
 * Called when a time that the clock had was wrong (decision 0292): failures then would keep them waiting, and their authenticator
 * apps would show nothing but older codes, until it comes.
 */
export async function pullBackSignIns(db: Queries): Promise<void> {
  await deleteFailuresAhead(db);
  await updateStepsAhead(db);
}
