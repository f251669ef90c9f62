/** Signs somebody up who asked by themselves: a link goes to the mail address, and the account is made behind it. */
import { enqueue } from "../outbox/enqueue.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { invitationAddress } from "./invitation.ts";
import { alreadyHereMail, registrationMail } from "./mails.ts";
import { upsertRegistration } from "./store-invitations.ts";
import { findResettable } from "./store-users.ts";

const LINK_SECONDS = 24 * 3600;
/** Nobody gets more than one such mail in this time. */
const PAUSE_SECONDS = 600;

/** Who has an account already reads that in a mail. Callers answer without waiting, so that the time tells nothing. */
export async function register(platform: Platform, email: string): Promise<void> {
  const { db, config } = platform;
  const person = await findResettable(db.pooled, email);
  if (person) {
    // Once in a window of ten minutes, whoever asks how often.
    const dedupeKey = `${person.id} ${Math.floor(Date.now() / (PAUSE_SECONDS * 1000))}`;
    await enqueue(db.pooled, [{ ...alreadyHereMail(config, person.email, person.username), dedupeKey }]);
    return;
  }
  const secret = newSecret("invitation");
  await db.transaction(async (tx) => {
    const made = { digest: digest(secret), email };
    if ((await upsertRegistration(tx, made, LINK_SECONDS, PAUSE_SECONDS)) === 0) return;
    await enqueue(tx, [registrationMail(platform, email, invitationAddress(config.publicUrl, secret))]);
  });
}
