/** Whether the service lives, and whether it can serve. */
import type { FastifyInstance } from "fastify";
import { checkSpace } from "./platform/free-space.ts";
import type { Platform } from "./platform/platform.ts";
import { checkReadiness } from "./platform/readiness.ts";

/** `GET /-/liveness` (the process answers) and `GET /-/readiness` (the database reads and writes, and has room). */
export function serviceRoutes(app: FastifyInstance, platform: Platform): void {
  app.get("/-/liveness", async (_request, reply) =>
    reply.header("cache-control", "no-store").send({ status: "ok" }),
  );
  app.get("/-/readiness", async (_request, reply) => {
    await checkReadiness(platform.db);
    await checkSpace(platform);
    return reply.header("cache-control", "no-store").send({ status: "ok" });
  });
}
