/** Redirects from the addresses at which other programs expect the pages of an account. */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { needsViewer } from "./browser.ts";

/** By our address: those of the same page in GitLab, now or before, and the W3C's well-known address. */
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
  "/profile/security_log": ["/-/user_settings/authentication_log", "/-/profile/audit_log"],
  "/profile": [
    "/-/user_settings/profile",
    "/-/profile",
    "/-/profile/account",
    "/-/profile/preferences",
    "/profile/account",
  ],
};

/** Keeps the query, for instance of a filled-in form; requires a sign-in first. */
export function knownAddressPages(app: FastifyInstance, platform: Platform): void {
  for (const [ours, theirs] of Object.entries(KNOWN_AS)) {
    for (const address of theirs) {
      app.get(address, { config: { undocumented: true } }, async (request, reply) => {
        await needsViewer(platform, request, reply);
        // The path may be spelled in several ways; the query begins at the question mark.
        const query = request.url.indexOf("?");
        return reply.redirect(query < 0 ? ours : ours + request.url.slice(query), 302);
      });
    }
  }
}
