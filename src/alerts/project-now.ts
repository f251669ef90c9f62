/** Opens the project of a page for answers that load into the page or stay open, and leaves the message for the next page where it is. */
import type { FastifyRequest } from "fastify";
import { SignInNeeded } from "../accounts/browser.ts";
import { viewerNow } from "../accounts/viewer-now.ts";
import type { Platform } from "../platform/platform.ts";
import { projectFor } from "../projects/access.ts";
import type { PagePlace } from "../projects/page-route.ts";
import type { Role } from "../projects/role.ts";

/** If whoever holds the session has this role in it at this moment. @throws SignInNeeded; Problem not_found, forbidden */
export async function projectNow(
  platform: Platform,
  request: FastifyRequest,
  { projectPath }: PagePlace,
  role: Role,
) {
  const viewer = await viewerNow(platform, request);
  if (!viewer) throw new SignInNeeded();
  const asker = { id: viewer.userId, isAdmin: viewer.isAdmin };
  return projectFor(platform.db, asker, projectPath, role);
}
