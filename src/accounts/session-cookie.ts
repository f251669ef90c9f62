/** The cookie of a browser session, and what else of a browser a session records. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { KEPT_SESSION, sessionCookieName } from "./session.ts";

/** For this host alone, out of reach of scripts, not sent along by forms of other sites, and gone with the browser unless `kept`. */
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
 * With the attributes it was set with: browsers let nobody write a `__Host-` cookie without them (RFC 6265bis §4.1.3.2).
 * Pages that the browser holds go too, since some browsers show those that must not be stored again on the way back
 * (reference reliability S74); cookies of other services on the same domain stay.
 */
export function clearSessionCookie({ config }: Platform, reply: FastifyReply): void {
  reply.header("clear-site-data", '"cache"');
  reply.clearCookie(sessionCookieName(config.secure), attributesOf(config));
}

function attributesOf({ secure }: Platform["config"]) {
  return { path: "/", httpOnly: true, sameSite: "lax", secure } as const;
}

/** What the browser calls itself, cut to what is kept. */
export function agentOf(request: FastifyRequest): string {
  return (request.headers["user-agent"] ?? "").slice(0, 255);
}
