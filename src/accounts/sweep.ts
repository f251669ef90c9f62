/** Removes expired sessions, old sign-in failures, and links and invitations that nobody used in time. */
import type { Platform } from "../platform/platform.ts";
import { deleteOldInvitations } from "./store-invitations.ts";
import { deleteExpiredEmailChanges } from "./store-profiles.ts";
import { deleteExpiredSessions, deleteOldSignInFailures } from "./store-sessions.ts";
import { deleteExpiredPasswordLinks } from "./store-users.ts";

export async function sweepAccounts({ db }: Platform): Promise<void> {
  const slow = db.pooled;
  await deleteExpiredSessions(slow);
  await deleteOldSignInFailures(slow);
  await deleteExpiredPasswordLinks(slow);
  await deleteOldInvitations(slow);
  await deleteExpiredEmailChanges(slow);
}
