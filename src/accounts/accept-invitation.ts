/** Spends an invitation: a new person creates an account with it, somebody with an account joins the place. */
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { checkContext } from "./context-words.ts";
import { createUser } from "./create-user.ts";
import type { Invitation, Join, Joined } from "./invitation.ts";
import { type PreparedUser, prepareUser } from "./prepare-user.ts";
import { recordAudit } from "./record-audit.ts";
import { findUser } from "./store.ts";
import { findLiveInvitation, spendInvitation } from "./store-invitations.ts";

/** Who accepts: somebody with an account, or somebody who creates one with the mail address of the invitation. */
export type Accepting = { userId: number } | { username: string; name: string; password: string };

/**
 * Of several concurrent requests one wins; a refused one leaves the link unspent. Returns the id of the account,
 * and what it is in the place: the membership may have ended before it was accepted.
 * @throws FieldProblem: an invalid name or password, or the address belongs to an account; Problem not_found: the link does not
 * exist, is spent, withdrawn or expired; invalid: the invitation is for an account only, and the person has one
 */
export async function acceptInvitation(
  platform: Platform,
  secret: string,
  who: Accepting,
  ip: string,
  join: Join,
): Promise<{ userId: number; joined: Joined }> {
  const key = digest(secret);
  const found = await findLiveInvitation(platform.db, key);
  if (!found) throw new Problem("not_found", "404 Not Found");
  if ("userId" in who && found.accessLevel === null) {
    throw new Problem("invalid", "You have an account already.");
  }
  if (!("userId" in who)) {
    checkContext(who.password, { ...who, email: found.email, publicUrl: platform.config.publicUrl });
  }
  const newcomer = "userId" in who ? undefined : await prepareUser(newcomerOf(platform, who, found));
  return platform.db.transaction(async (tx) => {
    const invitation = await spendInvitation(tx, key);
    if (!invitation) throw new Problem("not_found", "404 Not Found");
    const userId =
      "userId" in who
        ? who.userId
        : await createUser(platform, newcomer as PreparedUser, tx).catch(withTakenAddress);
    const joined = await join(tx, invitation, userId);
    if (newcomer) await recordNewcomer(tx, { actorId: userId, ip }, invitation);
    const details = invitation.place === "" ? {} : { place: invitation.place };
    await recordAudit(tx, { actorId: userId, ip, action: "invitation_accepted", userId, details });
    return { userId, joined };
  });
}

/** The newcomer created the account, from their own address; whoever invited them is named. */
async function recordNewcomer(
  tx: Queries,
  act: { actorId: number; ip: string },
  { invitedBy }: Invitation,
): Promise<void> {
  const inviter = invitedBy === null ? undefined : await findUser(tx, invitedBy);
  const details = { administrator: "no", ...(inviter ? { invited_by: inviter.username } : {}) };
  await recordAudit(tx, { ...act, action: "user_created", userId: act.actorId, details });
}

/**
 * A link that was handed over proves no mailbox; if an administrator handed it over, the address counts as confirmed by their
 * word (decision 0149).
 */
function newcomerOf(
  { config }: Platform,
  who: Exclude<Accepting, { userId: number }>,
  { email, accessLevel }: Invitation,
) {
  return { ...who, email, isConfirmed: mailIsOn(config) || accessLevel === null };
}

/** Names the account, since the holder of the link reads that mailbox anyway. */
function withTakenAddress(error: unknown): never {
  if (error instanceof FieldProblem && error.fields.email) {
    throw new FieldProblem(
      { ...error.fields, email: ["belongs to an account already; sign in with it"] },
      "conflict",
    );
  }
  throw error;
}
