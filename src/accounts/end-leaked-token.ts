/** Revokes a personal access token or ends a session that was reported as leaked. */
import type { Platform } from "../platform/platform.ts";
import type { Leak } from "./leak.ts";
import { recordAudit } from "./record-audit.ts";
import { deleteLeakedSession } from "./store-sessions.ts";
import { lockPersonOfToken, revokeLeakedToken } from "./store-tokens.ts";

/** Acts only on a valid one, whoever its owner is; tokens that a rotation made from it stay valid. */
export async function endLeakedToken({ db }: Platform, { kind, digest, ip, details }: Leak): Promise<void> {
  if (kind !== "personalAccessToken" && kind !== "session") return;
  await db.transaction(async (tx) => {
    if (kind === "personalAccessToken") await lockPersonOfToken(tx, digest);
    const ended = await (kind === "session" ? deleteLeakedSession : revokeLeakedToken)(tx, digest);
    if (!ended) return;
    const { userId, ...which } = ended;
    const told = { ...details, ...which };
    await recordAudit(tx, { action: "token_leaked", actorId: null, ip, userId, details: told });
  });
}
