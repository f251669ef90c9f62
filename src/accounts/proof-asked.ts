/** Finds what the page that asks for the password again shows: the person, their passkeys, and the way back. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { frameOf, needsViewer, returnPathOf } from "./browser.ts";
import { findFactors } from "./store-second-factor.ts";

/** @throws SignInNeeded */
export async function proofAskedOf(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await needsViewer(platform, request, reply);
  const { passkeys } = await findFactors(platform.db, browser.viewer.userId);
  return {
    ...frameOf(browser),
    hasPasskeys: passkeys > 0,
    back: returnPathOf(request) ?? "/",
  };
}
