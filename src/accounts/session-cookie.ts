/** The cookie of a browser session, and what else of a browser a session records. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { KEPT_SESSION, sessionCookieName } from "./session.ts";

/**
 * For this host only, unreadable to scripts, not sent with forms of other sites, and deleted with the browser session unless
 * `kept`.
 */
export function setSessionCookie(
  { config }: Platform,
  reply: FastifyReply,
  secret: string,
  kept: boolean,
): void {
  const lasting = kept ? { maxAge: KEPT_SESSION.absolute } : {};
  reply.setCookie(sessionCookieName(config.secure), secret, { ...attributesOf(config), ...lasting });
}

/**
 * Uses the attributes of `setSessionCookie`: browsers refuse to write a `__Host-` cookie without them (RFC 6265bis §4.1.3.2).
 * Clears cached pages too, since some browsers show even no-store pages again on the way back (reference reliability S74);
 * cookies of other services on the same domain stay.
 */
export function clearSessionCookie({ config }: Platform, reply: FastifyReply): void {
  reply.header("clear-site-data", '"cache"');
  reply.clearCookie(sessionCookieName(config.secure), attributesOf(config));
}

function attributesOf({ secure }: Platform["config"]) {
  return { path: "/", httpOnly: true, sameSite: "lax", secure } as const;
}

/** Returns the User-Agent, cut to the stored length. */
export function agentOf(request: FastifyRequest): string {
  return (request.headers["user-agent"] ?? "").slice(0, 255);
}
