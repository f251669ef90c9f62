/** Sends a link for a new password to the mail address of a person who forgot the old one. */
import { enqueue } from "../outbox/enqueue.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { resetMail } from "./mails.ts";
import { passwordLinkAddress } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { insertFreshPasswordLink, lockResettable } from "./store-users.ts";

/** How long a link that came by mail lives. */
const LINK_SECONDS = 3600;
/** Nobody gets more than one such mail in this time, however often it is asked for. */
const PAUSE_SECONDS = 600;

/**
 * Does nothing for an address that nobody has who may sign in, and for one that got a link lately. Callers answer without
 * waiting for it, so that the time tells nothing (decision 0110).
 */
export async function requestReset(platform: Platform, email: string, ip: string): Promise<void> {
  const { db, config, keys } = platform;
  const secret = newSecret("passwordLink");
  await db.transaction(async (tx) => {
    const person = await lockResettable(tx, email);
    if (!person) return;
    const link = { digest: digest(secret), userId: person.id, createdBy: null };
    if ((await insertFreshPasswordLink(tx, link, LINK_SECONDS, PAUSE_SECONDS)) === 0) return;
    const address = passwordLinkAddress(config.publicUrl, secret);
    // To the address on record, which may be spelled differently from what was typed.
    await enqueue(tx, [
      resetMail({ publicUrl: config.publicUrl, keys }, person.email, person.username, address),
    ]);
    await recordAudit(tx, { actorId: null, ip, action: "password_link_created", userId: person.id });
  });
}
