/** Creates, replaces or ends a person's feed token, with which a feed reader reads what they may see (contract-events §4, feeds). */
import type { Act } from "../accounts/audit.ts";
import { holdKeyHolder } from "../accounts/hold-actor.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { deleteFeedTokenOf, ensureFeedToken, findFeedToken, replaceFeedToken } from "./store-feeds.ts";

type Ground = { db: Queries } & Pick<Platform, "keys">;

/**
 * Replaces the token and returns the new one; feeds answer 401 to the old one from then on.
 * @throws Problem unprocessable: an account that cannot sign in
 */
export async function resetFeedToken(
  { db, keys }: Pick<Platform, "db" | "keys">,
  act: Act & { actorId: number },
): Promise<string> {
  return db.transaction(async (tx) => {
    await holdKeyHolder(tx, act);
    return putFeedToken({ db: tx, keys }, act.actorId);
  });
}

/** Ends the token with the person's personal access tokens, in the same transaction. */
export async function endFeedToken(tx: Queries, userId: number): Promise<void> {
  await deleteFeedTokenOf(tx, userId);
}

async function putFeedToken({ db, keys }: Ground, userId: number): Promise<string> {
  const secret = newSecret("feedToken");
  await replaceFeedToken(db, userId, {
    digest: digest(secret),
    sealed: keys.seal(secret, contextOf(userId)),
  });
  return secret;
}

/**
 * The person's token; a new one if there is none, or if this master key cannot open it. It is made like any other key: whoever
 * asks with a token that ends at the same moment, with the feed token, gets none (decision 0155).
 * @throws TokenProblem: the token of the request has ended meanwhile; Problem unprocessable: an account that cannot sign in
 */
export async function feedTokenOf(
  { db, keys }: Pick<Platform, "db" | "keys">,
  act: Act & { actorId: number },
): Promise<string> {
  const { actorId } = act;
  const open = (sealed: Buffer) => keys.openIfOurs(sealed, contextOf(actorId));
  const kept = await findFeedToken(db, actorId);
  const opened = kept && open(kept.sealed);
  if (opened !== undefined) return opened;
  return db.transaction(async (tx) => {
    await holdKeyHolder(tx, act);
    const made = newSecret("feedToken");
    const sealed = keys.seal(made, contextOf(actorId));
    const stored = await ensureFeedToken(tx, actorId, { digest: digest(made), sealed });
    return open(stored.sealed) ?? putFeedToken({ db: tx, keys }, actorId);
  });
}

function contextOf(userId: number): string {
  return `event_feed_tokens:${userId}`;
}
