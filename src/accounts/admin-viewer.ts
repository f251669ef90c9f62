/** Guards the administrators' pages of all rooms. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { needsViewer } from "./browser.ts";

/** Returns the signed-in administrator. @throws SignInNeeded: nobody is signed in; Problem not_found for everybody else */
export async function needsAdminViewer(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await needsViewer(platform, request, reply);
  if (!browser.viewer.isAdmin) throw new Problem("not_found", "404 Not Found");
  return browser;
}
