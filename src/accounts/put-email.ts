/** Sets the new mail address of a person, and notifies the old one. */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { emailChangedMail } from "./mails.ts";
import { recordAudit } from "./record-audit.ts";
import { updateEmail } from "./store-profiles.ts";

/**
 * Ends links for a new password that went to the old address. Without mail the new address is not confirmed (decision 0149).
 * @throws Problem not_found: the account was removed meanwhile
 */
export async function putEmail(
  { config }: Platform,
  tx: Queries,
  userId: number,
  email: string,
  ip: string,
): Promise<void> {
  const isConfirmed = mailIsOn(config);
  const was = await updateEmail(tx, userId, email, isConfirmed);
  if (was === undefined) throw new Problem("not_found", "404 User Not Found");
  if (isConfirmed) await enqueue(tx, [emailChangedMail(config, was)]);
  await recordAudit(tx, { actorId: userId, ip, action: "email_changed", userId });
}
