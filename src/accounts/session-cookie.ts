/** What the browser of a session is told and tells: the cookie with its secret, and its name. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { SESSION_ABSOLUTE_SECONDS, sessionCookieName } from "./session.ts";

/** For this host alone, out of reach of scripts, and not sent along by forms of other sites. */
export function setSessionCookie(platform: Platform, reply: FastifyReply, secret: string): void {
  const { secure } = platform.config;
  reply.setCookie(sessionCookieName(secure), secret, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure,
    maxAge: SESSION_ABSOLUTE_SECONDS,
  });
}

/** What the browser calls itself, cut to what is kept. */
export function agentOf(request: FastifyRequest): string {
  return (request.headers["user-agent"] ?? "").slice(0, 255);
}
