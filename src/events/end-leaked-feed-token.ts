/** Ends a feed token that was found where others can read it (decision 0208). */
import type { Leak } from "../accounts/leak.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Platform } from "../platform/platform.ts";
import { deleteFeedToken } from "./store-feeds.ts";

/**
 * Deletes the token, so that feeds answer it with 401, and records that in the audit log. The page of feeds makes its owner a new
 * one.
 */
export async function endLeakedFeedToken(
  { db }: Platform,
  { kind, digest, ip, details }: Leak,
): Promise<void> {
  if (kind !== "feedToken") return;
  await db.transaction(async (tx) => {
    const ended = await deleteFeedToken(tx, digest);
    if (!ended) return;
    await recordAudit(tx, { action: "token_leaked", actorId: null, ip, userId: ended.userId, details });
  });
}
