/** Ends a personal access token or a session of a browser that was found where others can read it. */
import type { Platform } from "../platform/platform.ts";
import type { Leak } from "./leak.ts";
import { recordAudit } from "./record-audit.ts";
import { deleteLeakedSession } from "./store-sessions.ts";
import { revokeLeakedToken } from "./store-tokens.ts";

/** If it counts, whoever it is of; tokens that a rotation made of it before stay. */
export async function endLeakedToken({ db }: Platform, { kind, digest, ip, details }: Leak): Promise<void> {
  if (kind !== "personalAccessToken" && kind !== "session") return;
  await db.transaction(async (tx) => {
    const ended = await (kind === "session" ? deleteLeakedSession : revokeLeakedToken)(tx, digest);
    if (!ended) return;
    const { userId, ...which } = ended;
    const told = { ...details, ...which };
    await recordAudit(tx, { action: "token_leaked", actorId: null, ip, userId, details: told });
  });
}
