/** Deletes expired sessions, old sign-in failures, expired links and invitations, and old network addresses of tokens. */
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { deleteOldInvitations } from "./store-invitations.ts";
import { deleteExpiredEmailChanges } from "./store-profiles.ts";
import { deleteExpiredSessions } from "./store-sessions.ts";
import { deleteOldSignInFailures } from "./store-sign-in-failures.ts";
import { forgetTokenNetworks } from "./store-tokens.ts";
import { deleteExpiredPasswordLinks } from "./store-users.ts";

/** Rows per statement, so that each ends within the time limit. */
const AT_ONCE = 5000;

/** Uses connections of its own, since slow statements would delay pipelined ones. */
export async function sweepAccounts({ db }: Platform): Promise<void> {
  const slow = db.pooled;
  for (const remove of [
    deleteExpiredSessions,
    deleteOldSignInFailures,
    forgetTokenNetworks,
    deleteOldInvitations,
  ]) {
    await inPortions((most) => remove(slow, most), { portion: AT_ONCE });
  }
  await deleteExpiredPasswordLinks(slow);
  await deleteExpiredEmailChanges(slow);
}
