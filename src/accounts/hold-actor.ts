/** Locks the actor who makes a key or removes a factor, so that nobody does so with what has just ended (decision 0155). */
import type { Queries } from "../platform/db.ts";
import { TokenProblem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { SignInNeeded } from "./browser.ts";
import { lockLiveSession, lockLiveToken, lockPeople } from "./store-actors.ts";

/**
 * Must be called first in the transaction, or after a stronger lock on the person. Locks the actor and the holder of the new key
 * until the commit: a concurrent block or revocation of all keys either sees the new key, or came first, and then the session or
 * token of the request is found ended.
 * @throws SignInNeeded: the session has ended; TokenProblem: the token has ended
 */
export async function holdActor(tx: Queries, { actorId, by }: Act, holderId = actorId): Promise<void> {
  await lockPeople(tx, [actorId, holderId]);
  if (!by || actorId === null) return;
  if ("session" in by) {
    if ((await lockLiveSession(tx, by.session, actorId)) === 0) throw new SignInNeeded();
  } else if ((await lockLiveToken(tx, by.tokenId, actorId)) === 0) {
    throw new TokenProblem("Token was revoked. You have to re-authorize from the user.");
  }
}
