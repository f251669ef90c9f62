/** Finds the current viewer of a session for responses that stay open: read-only, neither extends nor begins a session. */
import type { FastifyRequest } from "fastify";
import { checkClock } from "../platform/clock-mark.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import { sessionCookieName } from "./session.ts";
import { findSession } from "./store-sessions.ts";

/** Returns undefined if the session has ended, the person is blocked, or sign-in is not complete. @throws Problem unavailable */
export async function viewerNow(
  platform: Pick<Platform, "db" | "config" | "isClockBehind">,
  request: FastifyRequest,
): Promise<{ userId: number; isAdmin: boolean } | undefined> {
  const { db, config } = platform;
  const secret = request.cookies[sessionCookieName(config.secure)];
  if (!secret || !maySecretBe("session", secret)) return undefined;
  await checkClock(platform);
  const record = await findSession(db, digest(secret));
  if (record?.userId == null || record.username === null) return undefined;
  return { userId: record.userId, isAdmin: record.isAdmin ?? false };
}
