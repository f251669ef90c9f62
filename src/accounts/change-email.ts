/** Changes a person's mail address: at once if mail is off, else when the new address is confirmed. */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { accountRefusal } from "./account-refusal.ts";
import type { Act } from "./audit.ts";
import { holdActor } from "./hold-actor.ts";
import { confirmationMail } from "./mails.ts";
import { putEmail } from "./put-email.ts";
import { findUser } from "./store.ts";
import { lockPersonAlone } from "./store-actors.ts";
import { upsertEmailChange } from "./store-profiles.ts";
import { emailFault } from "./user.ts";

const LINK_SECONDS = 24 * 3600;
/** Minimum time between two links. */
const PAUSE_SECONDS = 60;

/**
 * With mail on, it does not reveal whether another account has the address; only the person who confirms it learns that.
 * @throws FieldProblem email: invalid, or (without mail) taken; Problem too_many: a link was sent a moment ago
 */
export async function changeEmail(
  platform: Platform,
  act: Act & { actorId: number },
  email: string,
): Promise<"changed" | "asked"> {
  const { db, config } = platform;
  const fault = emailFault(email);
  if (fault) throw new FieldProblem({ email: [fault] });
  if (!mailIsOn(config)) {
    try {
      await db.transaction(async (tx) => {
        await lockPersonAlone(tx, act.actorId);
        await holdActor(tx, act);
        await putEmail(platform, tx, act.actorId, email, act.ip);
      });
    } catch (error) {
      throw accountRefusal(error) ?? error;
    }
    return "changed";
  }
  const secret = newSecret("emailLink");
  await db.transaction(async (tx) => {
    await holdActor(tx, act);
    const change = { digest: digest(secret), userId: act.actorId, email };
    const times = { seconds: LINK_SECONDS, pauseSeconds: PAUSE_SECONDS };
    if ((await upsertEmailChange(tx, change, times)) === 0) {
      const text = "A link was sent a moment ago. Wait a minute before asking for another.";
      throw new Problem("too_many", text, { retryAfterSeconds: PAUSE_SECONDS });
    }
    // Locked by `holdActor`, so it exists.
    const { username = "" } = (await findUser(tx, act.actorId)) ?? {};
    const link = `${config.publicUrl}/users/confirmation/${secret}`;
    await enqueue(tx, [confirmationMail(platform, { to: email, username, link })]);
  });
  return "asked";
}
