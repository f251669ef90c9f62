/** `POST /leak_reports`: reports secrets of ours that were found in public, which revokes them (decision 0208). */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { endLeakedToken } from "./end-leaked-token.ts";
import { type AnswerLeak, leaksIn } from "./leak.ts";
import { LEAK_REPORTS_ANSWERS, LeakReports, leakReports } from "./wire-leaks.ts";

/** Enough for the longest list with long addresses. */
const BODY_BYTES = 256 * 1024;

/** @param others handlers for the secrets of the rooms above */
export function leakRoutes(app: FastifyInstance, platform: Platform, others: readonly AnswerLeak[]): void {
  const answers = [endLeakedToken, ...others];
  app.post(
    "/leak_reports",
    {
      config: { answers: LEAK_REPORTS_ANSWERS },
      schema: { body: LeakReports },
      // Checked by `leakReports`, which tolerates malformed members beside the secret.
      validatorCompiler: () => () => true,
      bodyLimit: BODY_BYTES,
    },
    async (request, reply) => {
      // One after the other, so that a list uses the database no more than a single request does.
      for (const leak of leaksIn(leakReports(request.body), request.ip)) {
        for (const answer of answers) await answer(platform, leak);
      }
      return reply.header("cache-control", "no-store").send({});
    },
  );
}
