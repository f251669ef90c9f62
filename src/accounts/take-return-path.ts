/** Takes the return path out of the session, once somebody has signed in or proven who they are. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { browserOf, returnPathOf } from "./browser.ts";
import { ownPath } from "./session.ts";
import { updateSessionReturn } from "./store-sessions.ts";

/** Where to go after signing in: the page that was asked for, else the start page. Removes it from the session. */
export async function takeReturnPath(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const browser = await browserOf(platform, request, reply);
  const returnTo = returnPathOf(request);
  if (returnTo) await updateSessionReturn(platform.db, browser.digest, null);
  return (returnTo && ownPath(returnTo)) || "/";
}
