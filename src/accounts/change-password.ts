/** Changes a person's password, which requires the current one. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { checkPassword, wrongPassword } from "./check-password.ts";
import { checkContext } from "./context-words.ts";
import { holdActor } from "./hold-actor.ts";
import { checkNewPassword, hashPassword } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { findUser } from "./store.ts";
import { lockPersonAlone } from "./store-actors.ts";
import { revokePersonalTokensOfUser, updatePassword } from "./store-users.ts";

/** Ends what a person made besides personal tokens to read without a session, such as a feed token. */
export type EndOtherTokens = (tx: Queries, userId: number) => Promise<void>;

/**
 * Ends every session of the person except `session`, whose secret the caller must renew; personal and other tokens stay without
 * `endTokens`.
 * Returns the new hash, so that the caller begins no session after yet another change of the password.
 * A reset that was faster stands, and whoever is signed in with the old password is not.
 * @throws FieldProblem: an invalid new password; SignInNeeded: the session has ended; Problem forbidden: a wrong password, or one
 * that was changed meanwhile; too_many: tried too often
 */
export async function changePassword(
  platform: Platform,
  person: { id: number; username: string },
  given: { current: string; next: string; endTokens: EndOtherTokens | undefined; session: Buffer },
  address: string,
): Promise<string> {
  checkNewPassword(given.next);
  const user = await findUser(platform.db, person.id);
  if (user) checkContext(given.next, { ...user, publicUrl: platform.config.publicUrl });
  const compared = await checkPassword(platform, person, { password: given.current, address });
  const passwordHash = await hashPassword(given.next);
  const act = { actorId: person.id, ip: address, by: { session: given.session } };
  await platform.db.transaction(async (tx) => {
    await lockPersonAlone(tx, person.id);
    await holdActor(tx, act);
    const own = { compared, kept: given.session };
    if ((await updatePassword(tx, person.id, passwordHash, own)) === 0) throw wrongPassword();
    const tokens = given.endTokens ? await revokePersonalTokensOfUser(tx, person.id) : 0;
    await given.endTokens?.(tx, person.id);
    const details = given.endTokens ? { tokens } : {};
    await recordAudit(tx, { ...act, action: "password_changed", userId: person.id, details });
  });
  return passwordHash;
}
