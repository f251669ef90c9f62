/** Sends a link for a new password to the mail address of a person who forgot the old one. */
import { enqueue } from "../outbox/enqueue.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { resetMail } from "./mails.ts";
import { passwordLinkAddress } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { insertFreshPasswordLink, lockResettable } from "./store-users.ts";

/** Lifetime of a link sent by mail. */
const LINK_SECONDS = 3600;
/** Minimum time between two such mails, however often they are requested. */
const PAUSE_SECONDS = 600;

/**
 * Does nothing for an address without an account that may sign in, or after a recent link. Callers do not wait for it, so that
 * timing reveals nothing (decision 0110).
 */
export async function requestReset(platform: Platform, email: string, ip: string): Promise<void> {
  const { db, config } = platform;
  const secret = newSecret("passwordLink");
  await db.transaction(async (tx) => {
    const person = await lockResettable(tx, email);
    if (!person) return;
    const link = { digest: digest(secret), userId: person.id, createdBy: null };
    if (
      (await insertFreshPasswordLink(tx, link, { seconds: LINK_SECONDS, pauseSeconds: PAUSE_SECONDS })) === 0
    )
      return;
    const address = passwordLinkAddress(config.publicUrl, secret);
    // To the stored address, which may be spelled differently from what was typed.
    const { email: to, username } = person;
    await enqueue(tx, [resetMail(platform, { to, username, link: address })]);
    await recordAudit(tx, { actorId: null, ip, action: "password_link_created", userId: person.id });
  });
}
