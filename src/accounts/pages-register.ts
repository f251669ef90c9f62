/** `/users/sign_up`: sign-up by mail address, if registration is open; else a page that says how to get an account. */
import type { FastifyInstance } from "fastify";
import { afterAnswer } from "../platform/after-answer.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import type { Html } from "../ui/html.ts";
import { type Browser, browserOf, checkForm, redirectWith } from "./browser.ts";
import { findRegistration } from "./find-registration.ts";
import { registrationFault } from "./invitation.ts";
import { type EmailPage, emailPage, wordsPage } from "./pages-email.ts";
import { register } from "./register.ts";
import type { RegistrationMode } from "./registration.ts";

const HOME = "/users/sign_up";

/** Answers the same for every address, known or not (decision 0111). */
export function registerPages(app: FastifyInstance, platform: Platform): void {
  const later = afterAnswer(app);
  app.get(HOME, async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    if (browser.viewer) return reply.redirect("/", 303);
    const { mode, domains } = await findRegistration(platform);
    return sendPage(reply, mode === "open" ? formPage(browser, domains, {}) : closedPage(browser, mode));
  });
  app.post(HOME, async (request, reply) => {
    const browser = await checkForm(platform, request, reply);
    const { mode, domains } = await findRegistration(platform);
    if (mode !== "open") return sendPage(reply, closedPage(browser, mode), { status: 403 });
    const email = formText(request, "email").trim();
    const fault = registrationFault(email, domains);
    if (fault) {
      return sendPage(reply, formPage(browser, domains, { email, error: `Email ${fault}.` }), {
        failed: true,
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
  typed: Pick<EmailPage, "email" | "error">,
): Html {
  return emailPage(browser, {
    heading: "Sign up",
    lead: "We send you a link. Behind it you choose a name and a password.",
    hint: domains.length > 0 ? `Ends in ${domains.map((domain) => `@${domain}`).join(" or ")}.` : undefined,
    action: HOME,
    ...typed,
  });
}

function closedPage(browser: Browser, mode: RegistrationMode): Html {
  const who =
    mode === "off"
      ? "an administrator of this Gatehouse"
      : "an administrator, or a maintainer of your project";
  return wordsPage(browser, {
    heading: "No account yet?",
    lead: `Accounts are made by invitation. Ask ${who}.`,
  });
}
