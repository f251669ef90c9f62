/** `/profile/two_factor`: turns the second step of sign-in on and off, and makes new recovery codes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { actOfViewer } from "./act-of-viewer.ts";
import type { Act } from "./audit.ts";
import { checkFormOfViewer, needsFreshProof, redirectWith, renewSession } from "./browser.ts";
import { checkPassword } from "./check-password.ts";
import { sendTwoFactor, TWO_FACTOR } from "./pages-two-factor-frame.ts";
import type { TwoFactorErrors } from "./pages-two-factor-views.ts";
import { removeAuthenticator } from "./remove-authenticator.ts";
import { renewRecoveryCodes } from "./renew-recovery-codes.ts";
import { turnOffTwoFactor } from "./turn-off-two-factor.ts";
import { confirmTwoFactor, startTwoFactor } from "./turn-on-two-factor.ts";

/** The page and the routes of the app and recovery codes; passkeys have routes of their own. */
export function twoFactorPages(app: FastifyInstance, platform: Platform): void {
  app.get(TWO_FACTOR, async (request, reply) => sendTwoFactor(platform, request, reply, {}));
  app.post(TWO_FACTOR, async (request, reply) =>
    withPassword(platform, request, reply, "password", async (person, _act, passwordHash) => {
      await startTwoFactor(platform, person, passwordHash);
      return reply.redirect(TWO_FACTOR, 303);
    }),
  );
  app.post(`${TWO_FACTOR}/confirm`, async (request, reply) => confirm(platform, request, reply));
  app.post(`${TWO_FACTOR}/codes`, async (request, reply) =>
    withPassword(platform, request, reply, "codes", async ({ id }, act) => {
      const codes = await renewRecoveryCodes(platform.db, id, act);
      return showCodes(platform, request, reply, "The recovery codes before these no longer count.", codes);
    }),
  );
  app.post(`${TWO_FACTOR}/app/remove`, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    await needsFreshProof(platform, request, reply, TWO_FACTOR);
    await removeAuthenticator(platform.db, browser.viewer.userId, actOfViewer(browser, request));
    const text = "The authenticator app is removed. Your passkeys remain.";
    return redirectWith(platform, request, reply, TWO_FACTOR, { kind: "ok", text });
  });
  app.post(`${TWO_FACTOR}/off`, async (request, reply) =>
    withPassword(platform, request, reply, "off", async ({ id }, act) => {
      await turnOffTwoFactor(platform.db, id, act);
      const text = "Two-factor sign-in is off.";
      return redirectWith(platform, request, reply, TWO_FACTOR, { kind: "ok", text });
    }),
  );
}

/** Redirects to the page, which shows the recovery codes once. */
export function showCodes(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  codes: readonly string[],
): Promise<FastifyReply> {
  const secrets = codes.length > 0 ? { secrets: { codes: codes.join("\n") } } : {};
  return redirectWith(platform, request, reply, TWO_FACTOR, { kind: "ok", text, ...secrets });
}

async function confirm(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await checkFormOfViewer(platform, request, reply);
  const { userId } = browser.viewer;
  return showingRefusals(platform, request, reply, "code", async () => {
    const code = formText(request, "code").slice(0, 100);
    const act = actOfViewer(browser, request);
    const codes = await confirmTwoFactor(platform, userId, code, act, browser.digest);
    await renewSession(platform, request, reply, { userId, onlyInstead: true });
    const text = codes.length > 0 ? "Two-factor sign-in is on." : "The authenticator app counts from now on.";
    return showCodes(platform, request, reply, text, codes);
  });
}

type Person = { id: number; username: string };

async function withPassword(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  field: keyof TwoFactorErrors,
  work: (person: Person, act: Act, passwordHash: string) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const browser = await checkFormOfViewer(platform, request, reply);
  const { viewer } = browser;
  const person = { id: viewer.userId, username: viewer.username };
  return showingRefusals(platform, request, reply, field, async () => {
    const given = { password: formText(request, "password"), address: request.ip };
    const passwordHash = await checkPassword(platform, person, given);
    return work(person, actOfViewer(browser, request), passwordHash);
  });
}

/** Shows a refusal at the field that was wrong. */
async function showingRefusals(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  field: keyof TwoFactorErrors,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    switch (error.kind) {
      case "forbidden":
        return sendTwoFactor(platform, request, reply, { [field]: "That is not your password." });
      case "unprocessable":
      case "too_many":
        return sendTwoFactor(platform, request, reply, { [field]: error.message });
      default:
        throw error;
    }
  }
}
