/** Creates a one-time link by which a person sets a new password. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, newSecret } from "../platform/secret.ts";
import type { Act } from "./audit.ts";
import { holdKeyHolder } from "./hold-actor.ts";
import { passwordLinkAddress } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { insertPasswordLink, type NewPasswordLink } from "./store-users.ts";

/** Lifetime of a link. */
const PASSWORD_LINK_SECONDS = 24 * 3600;

/** Returns the address of the link, which ends with the role of its maker; earlier links end. @throws Problem unprocessable: an account that cannot sign in */
export async function createPasswordLink(
  { db, config }: Platform,
  userId: number,
  act: Act,
): Promise<string> {
  return db.transaction(async (tx) => {
    await holdKeyHolder(tx, act, userId);
    return insertRecordedLink(tx, config.publicUrl, { userId, createdBy: act.actorId }, act);
  });
}

/** The same in a transaction that has locked the actor, and may have inserted the person. */
export async function insertRecordedLink(
  tx: Queries,
  publicUrl: string,
  who: Pick<NewPasswordLink, "userId" | "createdBy">,
  act: Act,
): Promise<string> {
  const secret = newSecret("passwordLink");
  await insertPasswordLink(tx, { ...who, digest: digest(secret) }, PASSWORD_LINK_SECONDS);
  await recordAudit(tx, { ...act, action: "password_link_created", userId: who.userId });
  return passwordLinkAddress(publicUrl, secret);
}
