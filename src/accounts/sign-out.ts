/** Ends the session of a browser, or suspends it, and records the sign-out in the audit log. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import type { AuditNote } from "./audit.ts";
import { browserOf } from "./browser.ts";
import { recordAudit } from "./record-audit.ts";
import { clearSessionCookie } from "./session-cookie.ts";
import { deleteLeftSession, deleteSession, updateSessionLeft } from "./store-sessions.ts";

/**
 * Affects this browser's session only; of concurrent sign-outs one is recorded.
 * @param mayComeBack the person must sign in again. If the same person does so within the hour, the session continues and
 * applications are not notified: the one that asked for a new sign-in would end its own session. Otherwise they are notified when
 * somebody else signs in, or after the hour (decision 0154).
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

/** Ends the session that this person has left at this browser, since they do not come back to it. Returns whether there was one. */
export async function endLeftSession(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  userId: number,
): Promise<boolean> {
  const { digest } = await browserOf(platform, request, reply);
  return (await deleteLeftSession(platform.db, digest, userId)) > 0;
}
