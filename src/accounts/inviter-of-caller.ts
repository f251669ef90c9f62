/** The inviter of an API request. */
import type { FastifyRequest } from "fastify";
import { callerOf } from "./caller.ts";
import type { Inviter } from "./invite.ts";

/** Returns the caller as the inviter, with their network address. */
export function inviterOfCaller(request: FastifyRequest): Inviter {
  const { id, name, isAdmin, bot } = callerOf(request);
  return { actorId: id, ip: request.ip, name, isAdmin, isBot: bot !== null };
}
