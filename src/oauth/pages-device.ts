/** `/oauth/device`: a person types the code that a device shows, sees who asks from where, and answers (RFC 8628 §3.3). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { checkFormOfViewer, frameOf, needsViewer, redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { answerDevice } from "./answer-device.ts";
import { readUserCode, shownUserCode } from "./device.ts";
import { findDevice } from "./find-device.ts";
import { deviceCodePage, deviceConfirmPage } from "./pages-device-views.ts";
import { findSessionAge } from "./store-openid.ts";

const HERE = "/oauth/device";

/** `GET` shows the form, filled in from `user_code` and never sent by itself; `POST` looks the code up, then answers. */
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
    return sendPage(reply, deviceCodePage(frame, csrfToken, { typed, error }), { status: 422 });
  }
  const decision = formText(request, "decision");
  if (decision !== "allow" && decision !== "deny") {
    return sendPage(reply, deviceConfirmPage(frame, csrfToken, viewer, found, new Date()));
  }
  const age = await findSessionAge(platform.db, session);
  const done = await answerDevice(platform.db, found.userCodeHash, {
    decision: decision === "allow" ? "allowed" : "denied",
    userId: viewer.userId,
    authenticatedAt: age?.authenticatedAt ?? null,
  });
  return redirectWith(platform, request, reply, HERE, {
    kind: done ? "ok" : "bad",
    text: wordsOf(found.applicationName, done ? decision : undefined),
  });
}

function wordsOf(name: string, decision: "allow" | "deny" | undefined): string {
  if (decision === "allow") return `${name} may use your account. Go back to your device.`;
  if (decision === "deny") return `${name} may not use your account.`;
  return "This device was answered before, or its code has expired.";
}
