/** Gives a person the token with which a feed reader reads what they may see (contract-events §4, feeds). */
import type { Act } from "../accounts/audit.ts";
import { holdActor } from "../accounts/hold-actor.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { ensureFeedToken, replaceFeedToken } from "./store-feeds.ts";

type Ground = { db: Queries } & Pick<Platform, "keys">;

/** Makes a new one; feeds with the one before answer 401 from then on. Returns it. */
export async function resetFeedToken(
  { db, keys }: Pick<Platform, "db" | "keys">,
  act: Act & { actorId: number },
): Promise<string> {
  return db.transaction(async (tx) => {
    await holdActor(tx, act);
    return putFeedToken({ db: tx, keys }, act.actorId);
  });
}

async function putFeedToken({ db, keys }: Ground, userId: number): Promise<string> {
  const secret = newSecret("feedToken");
  await replaceFeedToken(db, userId, digest(secret), keys.seal(secret, contextOf(userId)));
  return secret;
}

/** The one that holds, made if there is none, or none that can be opened with this master key. */
export async function feedTokenOf(ground: Ground, userId: number): Promise<string> {
  const { db, keys } = ground;
  const made = newSecret("feedToken");
  const { sealed } = await ensureFeedToken(db, userId, digest(made), keys.seal(made, contextOf(userId)));
  return keys.openIfOurs(sealed, contextOf(userId)) ?? putFeedToken(ground, userId);
}

function contextOf(userId: number): string {
  return `event_feed_tokens:${userId}`;
}
