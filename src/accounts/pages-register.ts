/** `/users/sign_up`: an account for whoever asks, where this installation is open; else words on how to get one. */
import type { FastifyInstance } from "fastify";
import { afterAnswer } from "../platform/after-answer.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { submitButton } from "../ui/button.ts";
import { csrfField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { type Browser, browserOf, checkForm, frameOf, redirectWith } from "./browser.ts";
import { registrationFault } from "./invitation.ts";
import { register } from "./register.ts";

const HOME = "/users/sign_up";
const BACK = html`<a href="/users/sign_in">Back to sign in</a>`;

/** The same answer to every address, known or not (decision 0111). */
export function registerPages(app: FastifyInstance, platform: Platform): void {
  const { registration, registrationDomains: domains } = platform.config;
  const isOpen = registration === "open";
  const later = afterAnswer(app);
  app.get(HOME, async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    if (browser.viewer) return reply.redirect("/", 303);
    return sendPage(reply, isOpen ? formPage(browser, domains, {}) : closedPage(browser, registration));
  });
  app.post(HOME, async (request, reply) => {
    const browser = await checkForm(platform, request, reply);
    if (!isOpen) return sendPage(reply, closedPage(browser, registration), { status: 403 });
    const email = formText(request, "email").trim();
    const fault = registrationFault(email, domains);
    if (fault) {
      return sendPage(reply, formPage(browser, domains, { email, error: `Email ${fault}.` }), {
        status: 422,
      });
    }
    later(request, register(platform, email), "a sign-up could not be begun");
    const text = `A mail is on its way to ${email}. Open the link in it within a day.`;
    return redirectWith(platform, request, reply, "/users/sign_in", { kind: "note", text });
  });
}

function formPage(
  browser: Browser,
  domains: readonly string[],
  { email, error }: { email?: string; error?: string },
): Html {
  const hint =
    domains.length > 0 ? `Ends in ${domains.map((domain) => `@${domain}`).join(" or ")}.` : undefined;
  return gatePage({
    ...frameOf(browser),
    title: "Sign up",
    heading: "Sign up",
    lead: "We send you a link. Behind it you choose a name and a password.",
    failed: error !== undefined,
    body: html`<form class="form mt" action="${HOME}" method="post">${csrfField(browser.csrfToken)}
${textField({ name: "email", label: "Email", type: "email", value: email, error, hint, autocomplete: "email", spellcheck: false, required: true, autofocus: true })}
${submitButton("Send the link", { tone: "primary", size: "lg block" })}
</form>`,
    below: BACK,
  });
}

function closedPage(browser: Browser, registration: "off" | "invited" | "open"): Html {
  const who =
    registration === "off"
      ? "an administrator of this Gatehouse"
      : "an administrator, or a maintainer of your project";
  return gatePage({
    ...frameOf(browser),
    title: "No account yet?",
    heading: "No account yet?",
    lead: `Accounts are made by invitation. Ask ${who}.`,
    body: html``,
    below: BACK,
  });
}
