/** The actor of a page request, as the audit log records it. */
import type { FastifyRequest } from "fastify";
import type { Act } from "./audit.ts";
import type { SignedIn } from "./session.ts";

/** Returns the signed-in person and their session as the actor for the audit log. */
export function actOfViewer(
  { viewer, digest }: { viewer: SignedIn; digest: Buffer },
  { ip }: FastifyRequest,
): Act & { actorId: number } {
  return { actorId: viewer.userId, ip, by: { session: digest } };
}
