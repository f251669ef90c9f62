/** Forgets delegated tokens that ended long ago, a portion of them. */
import type { Queries } from "../platform/db.ts";
import { deleteDeadTokens } from "./store.ts";

/** In the caller's transaction; tells which authorizations may be left with nothing. None: there was nothing to forget. */
export function forgetDeadTokens(tx: Queries): Promise<readonly number[]> {
  return deleteDeadTokens(tx);
}
