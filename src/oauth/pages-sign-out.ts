/** Ends or leaves the session of a browser on behalf of an application, and writes it down like any other sign-out. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { signOut } from "../accounts/sign-out.ts";
import type { Platform } from "../platform/platform.ts";
import { type Application, auditDetails } from "./application.ts";

/**
 * This browser's session, and nothing else: tokens of applications live on (decision 0136).
 * @param mayComeBack somebody must prove themselves anew; if it is the same person, the session goes on (decision 0154)
 */
export async function signOutFor(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  application: Pick<Application, "name" | "uid" | "selfRegistered"> | undefined,
  { mayComeBack = false } = {},
): Promise<void> {
  const details = application ? auditDetails(application) : {};
  await signOut(platform, request, reply, { details, mayComeBack });
}
