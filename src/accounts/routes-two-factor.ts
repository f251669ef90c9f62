/** API routes for two-factor sign-in (contract §4, two-factor by API). */
import type { FastifyInstance } from "fastify";
import { answering } from "../platform/answers.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { actOf, callerOf, needsScope } from "./caller.ts";
import { checkPassword } from "./check-password.ts";
import { turnOffTwoFactor } from "./turn-off-two-factor.ts";
import { confirmTwoFactor, startTwoFactor } from "./turn-on-two-factor.ts";
import { TWO_FACTOR_OFF_ANSWERS, TWO_FACTOR_ON_ANSWERS, TWO_FACTOR_SECRET_ANSWERS } from "./wire-answers.ts";
import { CodeBody, PasswordBody } from "./wire-users.ts";

export function twoFactorRoutes(app: FastifyInstance, platform: Platform): void {
  const guard = needsScope(platform, "api");
  app.post<{ Body: PasswordBody }>(
    "/user/two_factor",
    { ...answering(guard, TWO_FACTOR_SECRET_ANSWERS), schema: { body: PasswordBody } },
    async (request, reply) => {
      const caller = callerOf(request);
      const given = { password: request.body.password, address: request.ip };
      const compared = await checkPassword(platform, caller, given);
      const { secret, otpauthUrl } = await startTwoFactor(platform, caller, compared);
      return reply.code(201).header("cache-control", "no-store").send({ secret, otpauth_url: otpauthUrl });
    },
  );
  app.post<{ Body: CodeBody }>(
    "/user/two_factor/confirm",
    { ...answering(guard, TWO_FACTOR_ON_ANSWERS), schema: { body: CodeBody } },
    async (request, reply) => {
      const { id } = callerOf(request);
      const codes = await confirmTwoFactor(platform, id, request.body.code, actOf(request));
      return reply.code(201).header("cache-control", "no-store").send({ recovery_codes: codes });
    },
  );
  app.delete<{ Body: PasswordBody }>(
    "/user/two_factor",
    { ...answering(guard, TWO_FACTOR_OFF_ANSWERS), schema: { body: PasswordBody } },
    async (request, reply) => {
      const caller = callerOf(request);
      await checkPassword(platform, caller, { password: request.body.password, address: request.ip });
      if (!(await turnOffTwoFactor(platform.db, caller.id, actOf(request)))) {
        throw new Problem("not_found", "404 Not Found");
      }
      return reply.code(204).send();
    },
  );
}
