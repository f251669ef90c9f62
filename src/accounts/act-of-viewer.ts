/** The actor of a page request, as the audit log records it. */
import type { FastifyRequest } from "fastify";
import type { Act } from "./audit.ts";
import type { SignedIn } from "./session.ts";

/** The signed-in person as the audit log names them, and the session by which they act. */
export function actOfViewer(
  { viewer, digest }: { viewer: SignedIn; digest: Buffer },
  { ip }: FastifyRequest,
): Act & { actorId: number } {
  return { actorId: viewer.userId, ip, by: { session: digest } };
}
