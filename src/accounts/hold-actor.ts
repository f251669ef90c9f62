/** Locks whoever acts while they make a key, so that nobody makes one with a session or token that has just ended (decision 0155). */
import type { Queries } from "../platform/db.ts";
import { TokenProblem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { SignInNeeded } from "./browser.ts";
import { lockLiveSession, lockLiveToken, lockPeople } from "./store-actors.ts";

/**
 * Call it first in the transaction, or after what holds the person more firmly. Who acts and whose key it will be are held
 * until the commit: whoever blocks them or ends all of theirs either finds the key, or was done before, and then the session or
 * the token by which the request came is found ended.
 * @throws SignInNeeded: the session is over; TokenProblem: the token is
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
