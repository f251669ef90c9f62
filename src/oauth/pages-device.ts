/** `/oauth/device`: a person types the code of a device, sees which application asks from where, and answers (RFC 8628 §3.3). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { checkFormOfViewer, frameOf, needsViewer, redirectWith, SignInNeeded } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { answerDevice } from "./answer-device.ts";
import { shownName } from "./application.ts";
import { readUserCode, shownUserCode } from "./device.ts";
import { findDevice } from "./find-device.ts";
import { findLifetimes } from "./find-lifetimes.ts";
import { findSettings } from "./find-settings.ts";
import { deviceAnsweredPage, deviceCodePage, deviceConfirmPage } from "./pages-device-views.ts";
import { mayNotActForAdministrators } from "./settings.ts";
import { signOutFor } from "./sign-out-for.ts";
import { findOwner } from "./store-owners.ts";
import { scopesAllowed } from "./wire-consent.ts";

const HERE = "/oauth/device";
const ANSWERED = "/oauth/device/answered";

/** `GET` shows the form, filled in from `user_code` but never submitted automatically; `POST` looks up the code, then answers. */
export function devicePages(app: FastifyInstance, platform: Platform): void {
  app.get(HERE, async (request, reply) => {
    const browser = await needsViewer(platform, request, reply);
    const { user_code: given } = request.query as { user_code?: unknown };
    const code = typeof given === "string" ? readUserCode(given) : undefined;
    const page = deviceCodePage(frameOf(browser), browser.csrfToken, {
      typed: code === undefined ? "" : shownUserCode(code),
    });
    return sendPage(reply, page, { referrerPolicy: "no-referrer" });
  });
  app.get(ANSWERED, async (request, reply) => {
    const browser = await needsViewer(platform, request, reply);
    if (!browser.flash) return reply.redirect(HERE, 302);
    return sendPage(reply, deviceAnsweredPage(frameOf(browser)));
  });
  app.post(HERE, (request, reply) => answered(platform, request, reply));
}

async function answered(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await checkFormOfViewer(platform, request, reply);
  const { viewer, csrfToken, digest: session } = browser;
  const typed = formText(request, "user_code").slice(0, 100);
  const found = await findDevice(platform, viewer.userId, typed);
  const frame = frameOf(browser);
  if (!found) {
    const error = "No device waits with this code. Check the letters; a code lives ten minutes.";
    return sendPage(reply, deviceCodePage(frame, csrfToken, { typed, error }), { failed: true });
  }
  const decision = formText(request, "decision");
  if (decision === "switch") {
    const { applicationName: name, applicationUid: uid, selfRegistered } = found;
    const application = { name, uid, selfRegistered };
    await signOutFor(platform, request, reply, application);
    return reply.redirect(`${HERE}?user_code=${shownUserCode(found.userCode)}`, 303);
  }
  const ask = async (tickedNothing: boolean) => {
    const lifetimes = await findLifetimes(platform, found);
    const owner = await findOwner(platform.db, found.applicationId, viewer.userId);
    const question = { device: found, lifetimes, owner, tickedNothing };
    const page = deviceConfirmPage(frame, csrfToken, viewer, question, new Date());
    return sendPage(reply, page, { failed: tickedNothing });
  };
  if (decision !== "allow" && decision !== "deny") return ask(false);
  const scopes = decision === "allow" ? scopesAllowed(request, found, found.scopes) : found.scopes;
  if (scopes.length === 0) return ask(true);
  if (decision === "allow" && viewer.isAdmin) {
    if (mayNotActForAdministrators(await findSettings(platform), found, scopes)) {
      throw new Problem(
        "forbidden",
        "Administrators of this server cannot give full access to an application that is not trusted.",
      );
    }
  }
  const done = await answerDevice(platform.db, found, {
    decision: decision === "allow" ? "allowed" : "denied",
    scopes,
    userId: viewer.userId,
    session,
    ip: request.ip,
  });
  if (done === "signed out") throw new SignInNeeded();
  const isDone = done === "done";
  return redirectWith(platform, request, reply, isDone ? ANSWERED : HERE, {
    kind: isDone ? "ok" : "bad",
    text: wordsOf(shownName(found.applicationName), isDone ? decision : undefined),
  });
}

function wordsOf(name: string, decision: "allow" | "deny" | undefined): string {
  if (decision === "allow") return `${name} may use your account.`;
  if (decision === "deny") return `${name} may not use your account.`;
  return "This device was answered before, or its code has expired.";
}
