/** Ends what follows from a personal access token that is rotated once more: two hold it. */
import type { Db } from "../platform/db.ts";
import type { Act } from "./audit.ts";
import { recordAudit } from "./record-audit.ts";
import { lockTokenFamily, revokeTokenFamily } from "./store-tokens.ts";

/** Two rotations at once are a slip, not a theft: the family survives them. */
const SLIP_SECONDS = 30;

/** Nothing happens while the token lives, within 30 seconds of its end, and where nothing lives that follows from it. */
export async function endTokenFamily(db: Db, token: { id: number; userId: number }, act: Act): Promise<void> {
  await db.transaction(async (tx) => {
    await lockTokenFamily(tx, token.id);
    const tokens = await revokeTokenFamily(tx, token.id, SLIP_SECONDS);
    if (tokens === 0) return;
    const details = { id: token.id, tokens };
    await recordAudit(tx, { ...act, action: "token_reuse_detected", userId: token.userId, details });
  });
}
