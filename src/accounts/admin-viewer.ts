/** Guards the administrators' pages of all rooms, and checks their forms. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { actOfViewer } from "./act-of-viewer.ts";
import { checkForm, needsFreshProof, needsViewer } from "./browser.ts";

/** Returns the signed-in administrator. @throws SignInNeeded: nobody is signed in; Problem not_found for everybody else */
export async function needsAdminViewer(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await needsViewer(platform, request, reply);
  if (!browser.viewer.isAdmin) throw new Problem("not_found", "404 Not Found");
  return browser;
}

/**
 * Checks the form and returns the administrator, whose password must have been proven recently.
 * @throws as `needsAdminViewer`, or ProofNeeded
 */
export async function checkFormOfAdministrator(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
) {
  await checkForm(platform, request, reply);
  const browser = await needsAdminViewer(platform, request, reply);
  await needsFreshProof(platform, request, reply, path);
  return { browser, act: actOfViewer(browser, request) };
}
