/** Invites somebody by mail address to create an account, and possibly to join a project or group. */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Forbidden, Problem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import type { Act } from "./audit.ts";
import { findRegistration } from "./find-registration.ts";
import { holdActor } from "./hold-actor.ts";
import { INVITATION_SECONDS, INVITATIONS_A_DAY, type InvitedPlace, invitationAddress } from "./invitation.ts";
import { invitationMail } from "./mails.ts";
import { recordAudit } from "./record-audit.ts";
import { countSentLately, hasPassed, insertInvitation, lockInviter } from "./store-invitations.ts";
import { emailFault } from "./user.ts";

/** The signed-in person who invites; `right`: to the place, which another slice knows. */
export interface Inviter extends Act {
  actorId: number;
  name: string;
  isAdmin: boolean;
  /** Whether it is the account of an application; only callers of the API can be. */
  isBot?: boolean;
}

/**
 * Sends the link by mail if mail is on and returns undefined, so that only the reader of the mailbox has it (decision 0111); else
 * returns the link, to be handed over.
 * @throws FieldProblem email: invalid, or invited there already; expires_at: past; Problem too_many; forbidden: only
 * administrators may; as `holdActor`
 */
export async function invite(
  platform: Platform,
  asked: { email: string; place?: InvitedPlace | undefined },
  inviter: Inviter,
): Promise<{ id: number; link: string | undefined }> {
  const { db, config } = platform;
  const { email, place } = asked;
  const fault = emailFault(email);
  if (fault) throw new FieldProblem({ email: [fault] });
  await checkMayInvite(platform, inviter);
  if (place?.memberUntil && (await hasPassed(db, place.memberUntil))) {
    throw new FieldProblem({ expires_at: ["cannot be a date in the past"] });
  }
  const secret = newSecret("invitation");
  const link = invitationAddress(config.publicUrl, secret);
  const id = await db.transaction(async (tx) => {
    await holdActor(tx, inviter);
    await checkSentLately(tx, inviter);
    const made = await insertInvitation(tx, rowOf(email, place, inviter, secret), INVITATION_SECONDS);
    if (made === undefined) throw new FieldProblem({ email: ["is invited already"] }, "conflict");
    if (mailIsOn(config))
      await enqueue(tx, [
        invitationMail(platform, { to: email, link, inviter: inviter.name, place: place?.path ?? "" }),
      ]);
    const details = place ? { place: place.path } : {};
    const { actorId, ip } = inviter;
    await recordAudit(tx, { actorId, ip, action: "invitation_sent", userId: null, details });
    return made;
  });
  return { id, link: mailIsOn(config) ? undefined : link };
}

/** Checks the daily limit; concurrent invitations of a person wait for each other's transaction. @throws Problem too_many */
export async function checkSentLately(tx: Queries, { actorId }: Pick<Inviter, "actorId">): Promise<void> {
  await lockInviter(tx, actorId);
  if ((await countSentLately(tx, actorId, INVITATIONS_A_DAY)) < INVITATIONS_A_DAY) return;
  const text = `You have sent ${INVITATIONS_A_DAY} invitations, the maximum for a day. Try again tomorrow.`;
  throw new Problem("too_many", text, { retryAfterSeconds: 3600 });
}

/**
 * Allows administrators, and all people unless registration is off. An account of an application invites nobody: everybody can
 * register any number of applications, each of which would have a daily limit of its own (decisions 0111, 0125).
 * @throws Problem forbidden
 */
export async function checkMayInvite(
  platform: Pick<Platform, "db" | "config">,
  { isAdmin, isBot = false }: Pick<Inviter, "isAdmin" | "isBot">,
): Promise<void> {
  if (isBot) {
    throw new Forbidden("Accounts of applications cannot invite by mail address.");
  }
  if (isAdmin || (await findRegistration(platform)).mode !== "off") return;
  throw new Forbidden("Only administrators invite people to this Gatehouse.");
}

function rowOf(email: string, place: InvitedPlace | undefined, { actorId }: Inviter, secret: string) {
  return {
    digest: digest(secret),
    email,
    invitedBy: actorId,
    projectId: place?.source.projectId ?? null,
    namespaceId: place?.source.namespaceId ?? null,
    accessLevel: place?.accessLevel ?? null,
    memberUntil: place?.memberUntil ?? null,
    place: place?.path ?? "",
  };
}
