/** Refuses tokens in the address where the administrators have switched them off (RFC 9700 §4.3.2). */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { CodedProblem } from "../platform/problem.ts";
import { tokensInAddress } from "../platform/tokens-in-address.ts";
import { findSettings } from "./find-settings.ts";

/** Ahead of the guards of the door group; only requests with such a token ask for the switch. */
export function guardsQueryTokens(app: FastifyInstance, platform: Platform): void {
  app.addHook("onRequest", async (request) => {
    if (!tokensInAddress(request.query).some(Boolean)) return;
    if ((await findSettings(platform)).allowQueryTokens) return;
    throw new CodedProblem(
      "invalid",
      "invalid_request",
      "Tokens in the address are switched off here. Send the token in the Authorization header.",
    );
  });
}
