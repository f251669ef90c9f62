/** Deletes a batch of delegated tokens that ended long ago. */
import type { Queries } from "../platform/db.ts";
import { deleteDeadTokens } from "./store.ts";

/** Runs in the caller's transaction; returns the authorizations that may have no token left. Empty: nothing was deleted. */
export function forgetDeadTokens(tx: Queries): Promise<readonly number[]> {
  return deleteDeadTokens(tx);
}
