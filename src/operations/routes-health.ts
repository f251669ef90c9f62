/** Whether the process is alive, and whether it can serve requests. */
import type { FastifyInstance } from "fastify";
import { unnamed } from "../platform/answer-shapes.ts";
import { type Answers, refusal } from "../platform/answers.ts";
import { checkClock } from "../platform/clock-mark.ts";
import { checkSpace } from "../platform/free-space.ts";
import type { Platform } from "../platform/platform.ts";
import { checkReadiness, NOT_READY_REASONS, withReason } from "../platform/readiness.ts";
import Type from "../platform/schema.ts";

const OK = unnamed({ status: Type.Literal("ok") });
const NOT_READY = unnamed({
  message: Type.String(),
  reason: Type.Union(NOT_READY_REASONS.map((reason) => Type.Literal(reason))),
});
const LIVENESS_ANSWERS: Answers = { 200: { description: "The process is running", schema: OK } };
const READINESS_ANSWERS: Answers = {
  200: { description: "The database accepts reads and writes and has free disk space", schema: OK },
  503: refusal(
    "The database is unavailable, lacks disk space or has a clock that has gone back, or the service is stopping",
    NOT_READY,
  ),
};

/**
 * `GET /-/liveness` (the process answers) and `GET /-/readiness` (the database reads and writes, has room, and its clock has not
 * gone back).
 */
export function healthRoutes(app: FastifyInstance, platform: Platform): void {
  app.get("/-/liveness", { config: { answers: LIVENESS_ANSWERS } }, async (_request, reply) =>
    reply.header("cache-control", "no-store").send({ status: "ok" }),
  );
  app.get("/-/readiness", { config: { answers: READINESS_ANSWERS } }, async (_request, reply) => {
    await withReason("database", () => checkReadiness(platform.db));
    await withReason("disk_full", () =>
      checkSpace(platform, "Alerts and events are refused until somebody makes room on it."),
    );
    await withReason("clock_behind", () => checkClock(platform));
    return reply.header("cache-control", "no-store").send({ status: "ok" });
  });
}
