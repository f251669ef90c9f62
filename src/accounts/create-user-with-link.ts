/** Creates a user who gets a link by mail to set the password (decision 0237). */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { insertRecordedLink } from "./create-password-link.ts";
import { createUser } from "./create-user.ts";
import { firstPasswordMail } from "./mails.ts";
import { prepareUser, type UserFields } from "./prepare-user.ts";

/**
 * Returns the new user's id; user and mail are written in one transaction.
 * @throws FieldProblem as `createUser`, and reset_password: mail is off
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
  return db.transaction(async (tx) => {
    const userId = await createUser(platform, person, tx, act);
    const address = await insertRecordedLink(tx, config.publicUrl, { userId, createdBy: null }, act);
    const { email: to, username } = fields;
    await enqueue(tx, [firstPasswordMail(platform, { to, username, link: address })]);
    return userId;
  });
}
