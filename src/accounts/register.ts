/** Begins the sign-up of a person: sends a link to the mail address, by which the account is created. */
import { enqueue } from "../outbox/enqueue.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { invitationAddress } from "./invitation.ts";
import { alreadyHereMail, registrationMail } from "./mails.ts";
import { upsertRegistration } from "./store-invitations.ts";
import { findResettable } from "./store-users.ts";

const LINK_SECONDS = 24 * 3600;
/** Minimum time between two such mails to one address. */
const PAUSE_SECONDS = 600;

/** The owner of an existing account is told so by mail. Callers do not wait for it, so that timing reveals nothing. */
export async function register(platform: Platform, email: string): Promise<void> {
  const { db, config } = platform;
  const person = await findResettable(db.pooled, email);
  if (person) {
    // Once per ten-minute window, however often it is requested.
    const dedupeKey = `${person.id} ${Math.floor(Date.now() / (PAUSE_SECONDS * 1000))}`;
    await enqueue(db.pooled, [
      { ...alreadyHereMail(config, { to: person.email, username: person.username }), dedupeKey },
    ]);
    return;
  }
  const secret = newSecret("invitation");
  await db.transaction(async (tx) => {
    const made = { digest: digest(secret), email };
    if ((await upsertRegistration(tx, made, { seconds: LINK_SECONDS, pauseSeconds: PAUSE_SECONDS })) === 0)
      return;
    await enqueue(tx, [
      registrationMail(platform, { to: email, link: invitationAddress(config.publicUrl, secret) }),
    ]);
  });
}
