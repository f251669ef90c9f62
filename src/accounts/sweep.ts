/** Removes expired sessions, old sign-in failures, links and invitations that nobody used in time, and old networks of tokens. */
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { deleteOldInvitations } from "./store-invitations.ts";
import { deleteExpiredEmailChanges } from "./store-profiles.ts";
import { deleteExpiredSessions } from "./store-sessions.ts";
import { deleteOldSignInFailures } from "./store-sign-in-failures.ts";
import { forgetTokenNetworks } from "./store-tokens.ts";
import { deleteExpiredPasswordLinks } from "./store-users.ts";

/** Removed by one statement, so that each ends in time however many there are. */
const AT_ONCE = 5000;

/** On connections of its own, since what takes long would hold up the single statements of others. */
export async function sweepAccounts({ db }: Platform): Promise<void> {
  const slow = db.pooled;
  for (const remove of [deleteExpiredSessions, deleteOldSignInFailures, forgetTokenNetworks]) {
    await inPortions((most) => remove(slow, most), { portion: AT_ONCE });
  }
  await deleteExpiredPasswordLinks(slow);
  await deleteOldInvitations(slow);
  await deleteExpiredEmailChanges(slow);
}
