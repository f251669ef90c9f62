/**
 * Checks a viewer's access to a project for responses that load into a page or stay open, without consuming the next page's
 * message.
 */
import type { FastifyRequest } from "fastify";
import { SignInNeeded } from "../accounts/browser.ts";
import { viewerNow } from "../accounts/viewer-now.ts";
import type { Platform } from "../platform/platform.ts";
import { projectFor } from "../projects/access.ts";
import { askerOf } from "../projects/asker.ts";
import type { PagePlace } from "../projects/page-route.ts";
import type { Role } from "../projects/role.ts";

/**
 * Returns the project if the owner of the session has this role in it right now.
 * @throws SignInNeeded; Problem not_found, forbidden
 */
export async function projectNow(
  platform: Platform,
  request: FastifyRequest,
  { projectPath }: PagePlace,
  role: Role,
) {
  return projectFor(platform.db, askerOf(await signedInNow(platform, request)), projectPath, role);
}

/** Returns the owner of the session. @throws SignInNeeded */
export async function signedInNow(platform: Platform, request: FastifyRequest) {
  const viewer = await viewerNow(platform, request);
  if (!viewer) throw new SignInNeeded();
  return viewer;
}
