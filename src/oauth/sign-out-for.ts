/** Ends or suspends the session of a browser on behalf of an application, and records it like any other sign-out. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { signOut } from "../accounts/sign-out.ts";
import type { Platform } from "../platform/platform.ts";
import { type Application, auditDetails } from "./application.ts";

/**
 * Ends only this browser's session: tokens of applications stay valid (decision 0136).
 * @param mayComeBack somebody must sign in again; if it is the same person, the session continues (decision 0154)
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
