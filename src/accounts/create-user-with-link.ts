/** Makes a user who gets a link by mail to set the password (decision 0237). */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import type { Act } from "./audit.ts";
import { PASSWORD_LINK_SECONDS } from "./create-password-link.ts";
import { createUser } from "./create-user.ts";
import { firstPasswordMail } from "./mails.ts";
import { passwordLinkAddress } from "./password.ts";
import { prepareUser, type UserFields } from "./prepare-user.ts";
import { recordAudit } from "./record-audit.ts";
import { insertPasswordLink } from "./store-users.ts";

/**
 * Returns the new user's id; user and mail come together, or neither.
 * @throws FieldProblem as `createUser`, and reset_password: no mail is sent here
 */
export async function createUserWithLink(platform: Platform, fields: UserFields, act: Act): Promise<number> {
  const { db, config } = platform;
  if (!mailIsOn(config)) {
    const way = "or send a password, or force_random_password and hand a password link over";
    throw new FieldProblem({
      reset_password: [`needs mail: set GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM, ${way}`],
    });
  }
  const person = await prepareUser(fields);
  const secret = newSecret("passwordLink");
  return db.transaction(async (tx) => {
    const userId = await createUser(platform, person, tx, act);
    const link = { digest: digest(secret), userId, createdBy: act.actorId };
    await insertPasswordLink(tx, link, PASSWORD_LINK_SECONDS);
    const address = passwordLinkAddress(config.publicUrl, secret);
    await enqueue(tx, [firstPasswordMail(platform, fields.email, fields.username, address)]);
    await recordAudit(tx, { ...act, action: "password_link_created", userId });
    return userId;
  });
}
