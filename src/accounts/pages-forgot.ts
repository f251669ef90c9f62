/** `/users/password/new`: a link by mail for people who forgot their password. */
import type { FastifyInstance } from "fastify";
import { mailIsOn } from "../outbox/send-mail.ts";
import { afterAnswer } from "../platform/after-answer.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import type { Html } from "../ui/html.ts";
import { type Browser, browserOf, checkForm, redirectWith } from "./browser.ts";
import { type EmailPage, emailPage, wordsPage } from "./pages-email.ts";
import { requestReset } from "./request-reset.ts";
import { emailFault } from "./user.ts";

const HOME = "/users/password/new";
const HEADING = "Forgot your password?";

/** Answers the same for every address, known or not (decision 0110). */
export function forgotPages(app: FastifyInstance, platform: Platform): void {
  const isOn = mailIsOn(platform.config);
  const later = afterAnswer(app);
  app.get(HOME, async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    return sendPage(reply, isOn ? formPage(browser, {}) : askPage(browser));
  });
  app.post(HOME, async (request, reply) => {
    const browser = await checkForm(platform, request, reply);
    if (!isOn) return sendPage(reply, askPage(browser));
    const email = formText(request, "email").trim();
    const fault = emailFault(email);
    if (fault)
      return sendPage(reply, formPage(browser, { email, error: `Email ${fault}.` }), { failed: true });
    later(request, requestReset(platform, email, request.ip), "a link for a new password could not be made");
    const text = `If ${email} belongs to an account here, a link is on its way. It works once, within an hour.`;
    return redirectWith(platform, request, reply, "/users/sign_in", { kind: "note", text });
  });
}

function formPage(browser: Browser, typed: Pick<EmailPage, "email" | "error">): Html {
  return emailPage(browser, {
    heading: HEADING,
    lead: "We’ll send you a link to set a new one.",
    hint: "The email address of your account. Nothing after a few minutes? Check your spam folder, then ask an administrator.",
    action: HOME,
    ...typed,
  });
}

function askPage(browser: Browser): Html {
  return wordsPage(browser, {
    heading: HEADING,
    lead: "This Gatehouse doesn’t send mail. Ask an administrator for a link to set a new password.",
  });
}
