/** Ends or leaves the session of a browser; a sign-out is written down with it. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import type { AuditNote } from "./audit.ts";
import { browserOf } from "./browser.ts";
import { recordAudit } from "./record-audit.ts";
import { clearSessionCookie } from "./session-cookie.ts";
import { deleteLeftSession, deleteSession, updateSessionLeft } from "./store-sessions.ts";

/**
 * This browser's session, and nothing else; of several sign-outs at once one is written down.
 * @param mayComeBack somebody must prove themselves anew. If the same person does within the hour, the session goes on and
 *   applications hear of no end: they would sign out whom they asked to prove themselves. Else they hear of it when
 *   somebody else comes, or when the hour is over (decision 0154).
 */
export async function signOut(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { details = {}, mayComeBack = false }: Pick<AuditNote, "details"> & { mayComeBack?: boolean } = {},
): Promise<void> {
  const { viewer, digest } = await browserOf(platform, request, reply);
  if (viewer) {
    const { userId } = viewer;
    await platform.db.transaction(async (tx) => {
      const ended = await (mayComeBack ? updateSessionLeft : deleteSession)(tx, digest);
      const note = { action: "sign_out", actorId: userId, userId, ip: request.ip, details } as const;
      if (ended > 0) await recordAudit(tx, note);
    });
  } else await deleteSession(platform.db, digest);
  if (!mayComeBack) clearSessionCookie(platform, reply);
}

/** This person does not come back to the session that was left at this browser: it ends now. */
export async function endLeftSession(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  userId: number,
): Promise<void> {
  const { digest } = await browserOf(platform, request, reply);
  await deleteLeftSession(platform.db, digest, userId);
}
