/** `/users/password/new`: a way in for who forgot the password. */
import type { FastifyInstance } from "fastify";
import { mailIsOn } from "../outbox/send-mail.ts";
import { afterAnswer } from "../platform/after-answer.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { submitButton } from "../ui/button.ts";
import { csrfField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { type Browser, browserOf, checkForm, frameOf, redirectWith } from "./browser.ts";
import { requestReset } from "./request-reset.ts";
import { emailFault } from "./user.ts";

const HOME = "/users/password/new";
const BACK = html`<a href="/users/sign_in">Back to sign in</a>`;

/** The same answer to every address, known or not (decision 0110). */
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
      return sendPage(reply, formPage(browser, { email, error: `Email ${fault}.` }), { status: 422 });
    later(request, requestReset(platform, email, request.ip), "a link for a new password could not be made");
    const text = `If ${email} belongs to an account here, a link is on its way. It works once, within an hour.`;
    return redirectWith(platform, request, reply, "/users/sign_in", { kind: "note", text });
  });
}

function formPage(browser: Browser, { email, error }: { email?: string; error?: string }): Html {
  const hint =
    "The one your account has. Nothing there after some minutes? Look among spam, then ask an administrator.";
  return gatePage({
    ...frameOf(browser),
    title: "Forgot your password?",
    heading: "Forgot your password?",
    lead: "We send you a link by which you set a new one.",
    failed: error !== undefined,
    body: html`<form class="form mt" action="${HOME}" method="post">${csrfField(browser.csrfToken)}
${textField({ name: "email", label: "Email", type: "email", value: email, error, hint, autocomplete: "email", spellcheck: false, required: true, autofocus: true })}
${submitButton("Send the link", { tone: "primary", size: "lg block" })}
</form>`,
    below: BACK,
  });
}

function askPage(browser: Browser): Html {
  return gatePage({
    ...frameOf(browser),
    title: "Forgot your password?",
    heading: "Forgot your password?",
    lead: "This Gatehouse sends no mail. Ask one of its administrators for a link by which you set a new password.",
    body: html``,
    below: BACK,
  });
}
