/** Who invites by a request to the API. */
import type { FastifyRequest } from "fastify";
import { callerOf } from "./caller.ts";
import type { Inviter } from "./invite.ts";

/** The caller, with the address from which they invite. */
export function inviterOfCaller(request: FastifyRequest): Inviter {
  const { id, name, isAdmin } = callerOf(request);
  return { actorId: id, ip: request.ip, name, isAdmin };
}
