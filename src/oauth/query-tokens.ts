/** Refuses tokens in the address if the administrators have switched them off (RFC 9700 §4.3.2). */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { CodedProblem } from "../platform/problem.ts";
import { tokensInAddress } from "../platform/tokens-in-address.ts";
import { findSettings } from "./find-settings.ts";

/** Runs before the guards of the door group; the settings are read only for requests with such a token. */
export function guardsQueryTokens(app: FastifyInstance, platform: Platform): void {
  app.addHook("onRequest", async (request) => {
    if (!tokensInAddress(request.query).some(Boolean)) return;
    if ((await findSettings(platform)).allowQueryTokens) return;
    throw new CodedProblem(
      "invalid",
      "invalid_request",
      "Tokens in the URL are disabled on this server. Send the token in the Authorization header.",
    );
  });
}
