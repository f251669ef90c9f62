/** Sends an invitation again, with a new link and a new lifetime. */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { holdActor } from "./hold-actor.ts";
import { INVITATION_SECONDS, type Invitation, invitationAddress } from "./invitation.ts";
import { checkMayInvite, checkSentLately, type Inviter } from "./invite.ts";
import { invitationMail } from "./mails.ts";
import { recordAudit } from "./record-audit.ts";
import { type InvitationFilter, renewInvitation } from "./store-invitations.ts";

/** Minimum time between two mails. */
const PAUSE_SECONDS = 60;

/**
 * Ends the previous link; returns the new one like `invite`.
 * @throws Problem too_many: sent a moment ago, or the daily limit; forbidden; as `holdActor`
 */
export async function inviteAgain(
  platform: Platform,
  invitation: Invitation,
  filter: InvitationFilter,
  inviter: Inviter,
): Promise<string | undefined> {
  const { db, config } = platform;
  await checkMayInvite(platform, inviter);
  const secret = newSecret("invitation");
  const link = invitationAddress(config.publicUrl, secret);
  await db.transaction(async (tx) => {
    await holdActor(tx, inviter);
    await checkSentLately(tx, inviter);
    const next = { digest: digest(secret), invitedBy: inviter.actorId };
    const times = { seconds: INVITATION_SECONDS, pauseSeconds: mailIsOn(config) ? PAUSE_SECONDS : 0 };
    if ((await renewInvitation(tx, invitation.id, filter, next, times)) === 0) {
      const text = "It was sent a moment ago. Wait a minute before sending it again.";
      throw new Problem("too_many", text, { retryAfterSeconds: PAUSE_SECONDS });
    }
    const { email, place } = invitation;
    const mail = invitationMail(platform, { to: email, link, inviter: inviter.name, place });
    if (mailIsOn(config)) await enqueue(tx, [mail]);
    const { actorId, ip } = inviter;
    await recordAudit(tx, { actorId, ip, action: "invitation_sent", userId: null });
  });
  return mailIsOn(config) ? undefined : link;
}
