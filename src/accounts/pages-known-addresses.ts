/** Redirects from the addresses at which other programs expect the pages of an account. */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { needsViewer } from "./browser.ts";

/** By our address: where GitLab has the same page, now or before, and the well-known address of the W3C. */
const KNOWN_AS: Readonly<Record<string, readonly string[]>> = {
  "/profile/personal_access_tokens": [
    "/-/user_settings/personal_access_tokens",
    "/-/profile/personal_access_tokens",
  ],
  "/profile/applications": [
    "/-/user_settings/applications",
    "/-/profile/applications",
    "/oauth/applications",
    "/oauth/authorized_applications",
  ],
  "/profile/two_factor": ["/-/profile/two_factor_auth", "/profile/two_factor_auth"],
  "/profile/sessions": ["/-/user_settings/active_sessions", "/-/profile/active_sessions"],
  "/profile/password": [
    "/-/user_settings/password/edit",
    "/-/profile/password/edit",
    "/.well-known/change-password",
  ],
  "/profile": ["/-/profile", "/-/profile/account", "/profile/account"],
};

/** What stands behind the address, a filled-in form for one, is kept; strangers sign in first. */
export function knownAddressPages(app: FastifyInstance, platform: Platform): void {
  for (const [ours, theirs] of Object.entries(KNOWN_AS)) {
    for (const address of theirs) {
      app.get(address, { config: { undocumented: true } }, async (request, reply) => {
        await needsViewer(platform, request, reply);
        // The address may be written in more than one way; what it asks for begins at its question mark.
        const query = request.url.indexOf("?");
        return reply.redirect(query < 0 ? ours : ours + request.url.slice(query), 302);
      });
    }
  }
}
