/** The inviter of an API request. */
import type { FastifyRequest } from "fastify";
import { actOf, callerOf } from "./caller.ts";
import type { Inviter } from "./invite.ts";

/** Returns the caller as the inviter, with their network address. @param right to the place, if it is for one */
export function inviterOfCaller(request: FastifyRequest, right?: Inviter["right"]): Inviter {
  const { name, isAdmin, bot } = callerOf(request);
  return { ...actOf(request), right, name, isAdmin, isBot: bot !== null };
}
