/** Revokes the successors of a personal access token that is rotated a second time: two parties hold it. */
import type { Db } from "../platform/db.ts";
import type { Act } from "./audit.ts";
import { recordAudit } from "./record-audit.ts";
import { lockTokenFamily, revokeTokenFamily } from "./store-tokens.ts";

/** A second rotation within this time is taken for a slip, not a theft: the family stays valid. */
const SLIP_SECONDS = 30;

/** Does nothing while the token is valid, within 30 seconds of its end, and if no successor is valid. */
export async function endTokenFamily(db: Db, token: { id: number; userId: number }, act: Act): Promise<void> {
  await db.transaction(async (tx) => {
    await lockTokenFamily(tx, token.id);
    const tokens = await revokeTokenFamily(tx, token.id, SLIP_SECONDS);
    if (tokens === 0) return;
    const details = { id: token.id, tokens };
    await recordAudit(tx, { ...act, action: "token_reuse_detected", userId: token.userId, details });
  });
}
