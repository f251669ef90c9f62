/** Removes expired sessions, old sign-in failures and long dead delegated tokens. */
import type { Platform } from "../platform/platform.ts";
import { deleteDeadTokens } from "./store.ts";
import { deleteOldInvitations } from "./store-invitations.ts";
import { deleteExpiredEmailChanges } from "./store-profiles.ts";
import { deleteExpiredSessions, deleteOldSignInFailures } from "./store-sessions.ts";
import { deleteExpiredPasswordLinks } from "./store-users.ts";

export async function sweepAccounts({ db }: Platform): Promise<void> {
  await deleteExpiredSessions(db);
  await deleteOldSignInFailures(db);
  await deleteDeadTokens(db);
  await deleteExpiredPasswordLinks(db);
  await deleteOldInvitations(db);
  await deleteExpiredEmailChanges(db);
}
