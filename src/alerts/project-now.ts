/** A project whose pages are open, for answers that are a part of them or that last: no message that waits is taken. */
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
