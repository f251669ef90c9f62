/**
 * Locks the actor of a change until it is made, so that nobody makes a key, changes an account or administers the instance with
 * what has just ended (decisions 0155, 0313, 0322).
 */
import type { Queries } from "../platform/db.ts";
import { Problem, TokenProblem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { SignInNeeded } from "./browser.ts";
import { holdPeople } from "./hold-people.ts";
import { lockLiveSession, lockLiveToken, lockRights, lockRightsAlone, type Rights } from "./store-actors.ts";
import { checkHoldsKeys } from "./user.ts";

/**
 * Must be called first in the transaction, or after a stronger lock on the person. Locks the actor and the holder of the new key
 * until the commit: a concurrent block or revocation of all keys either sees the new key, or came first, and then the session or
 * token of the request is found ended.
 * @throws SignInNeeded: the session has ended; TokenProblem: the token has ended; Problem forbidden: no administrator any longer;
 * as `act.right`
 */
export async function holdActor(tx: Queries, act: Act, holderId = act.actorId): Promise<void> {
  await checkActor(tx, act, await lockRights(tx, [act.actorId, holderId]));
}

/** Like `holdActor`, for a new key of the holder. @throws Problem unprocessable: an account that cannot sign in (decision 0139) */
export async function holdKeyHolder(tx: Queries, act: Act, holderId = act.actorId): Promise<void> {
  const held = await lockRights(tx, [act.actorId, holderId]);
  await checkActor(tx, act, held);
  const holder = held.find(({ id }) => id === holderId);
  if (holder) checkHoldsKeys(holder);
}

/**
 * Like `holdActor`, for a change of another account, whose row is locked for it.
 * @param endsAdministrator whether it may be an administrator who will be none who can sign in
 */
export async function holdActorOver(
  tx: Queries,
  act: Act,
  changedId: number,
  { endsAdministrator }: { endsAdministrator: boolean },
): Promise<void> {
  await checkActor(tx, act, await lockRightsAlone(tx, [act.actorId, changedId], endsAdministrator));
}

/**
 * Checks at the end of an act that took long that the actor is still an administrator: the session or token with which it began may
 * have ended in good order. Null: the console.
 * @throws Problem forbidden
 */
export async function holdAdministrator(tx: Queries, actorId: number | null): Promise<void> {
  if (actorId === null) return;
  const { isAdmin } = await holdPeople(tx, { id: actorId, isAdmin: true }, []);
  if (!isAdmin) throw new Problem("forbidden", "403 Forbidden");
}

async function checkActor(tx: Queries, act: Act, held: readonly Rights[]): Promise<void> {
  await checkNotEnded(tx, act, held);
  // Last: people, sessions and tokens are locked before places.
  await act.right?.(tx);
}

async function checkNotEnded(tx: Queries, { actorId, by }: Act, held: readonly Rights[]): Promise<void> {
  if (!by || actorId === null) return;
  if ("session" in by) {
    if ((await lockLiveSession(tx, by.session, actorId)) === 0) throw new SignInNeeded();
    return;
  }
  if ((await lockLiveToken(tx, by.tokenId, actorId)) === 0) {
    throw new TokenProblem("Token was revoked. You have to re-authorize from the user.");
  }
  const isAdmin = held.some((person) => person.id === actorId && person.isAdmin);
  if (by.asAdministrator && !isAdmin) throw new Problem("forbidden", "403 Forbidden");
}
