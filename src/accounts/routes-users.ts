/** The API's doors to users: the caller, people by id and name, and their making and blocking. */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { callerOf, needsScope } from "./caller.ts";
import { ownRecord } from "./wire.ts";

/** `/user`, `/users…` below `/api/v4` (contract §3). */
export function userRoutes(app: FastifyInstance, platform: Platform): void {
  const { publicUrl } = platform.config;
  // The token's lookup already brought the user along: no statement of its own.
  app.get("/user", { ...needsScope(platform, "read_user", "read_api", "api") }, async (request) => {
    const caller = callerOf(request);
    return ownRecord(caller, caller.isAdmin, publicUrl);
  });
}
