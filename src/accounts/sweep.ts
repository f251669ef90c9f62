/** Removes expired sessions and old sign-in failures. */
import type { Platform } from "../platform/platform.ts";
import { deleteExpiredSessions, deleteOldSignInFailures } from "./store-sessions.ts";

export async function sweepAccounts({ db }: Platform): Promise<void> {
  await deleteExpiredSessions(db);
  await deleteOldSignInFailures(db);
}
