/** Asks who is at a browser again, without an end of the session for whoever proves to be the same. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { browserOf } from "./browser.ts";
import { deleteLeftSession, updateSessionLeft } from "./store-sessions.ts";

/**
 * Nobody is signed in any more. If the same person signs in within the hour, applications hear of no end: they would sign
 * out whom they asked to prove themselves. Else they hear of it when somebody else comes, or when the hour is over.
 */
export async function leaveSession(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { digest } = await browserOf(platform, request, reply);
  await updateSessionLeft(platform.db, digest);
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
