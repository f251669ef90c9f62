/** `/users/confirmation/:token`: the page behind the link of a mail, which confirms a new mail address. */
import type { FastifyInstance } from "fastify";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import { submitButton } from "../ui/button.ts";
import { csrfField } from "../ui/form.ts";
import { html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { browserOf, checkForm, frameOf, redirectWith } from "./browser.ts";
import { confirmEmail } from "./confirm-email.ts";
import { sendLinkOver } from "./pages-link-over.ts";
import { findEmailChange } from "./store-profiles.ts";

type At = { Params: { token: string } };

/** Opening the link changes nothing; the button does. */
export function emailConfirmationPages(app: FastifyInstance, platform: Platform): void {
  app.get<At>("/users/confirmation/:token", async (request, reply) => {
    const { token } = request.params;
    const known = maySecretBe("emailLink", token) && (await findEmailChange(platform.db, digest(token)));
    const browser = await browserOf(platform, request, reply);
    if (!known) {
      return sendLinkOver(reply, browser, {
        lead: "The link that confirms an address works once, for a day, and only as long as no newer one was made.",
        next: "Change the address in your settings again to get a new one.",
      });
    }
    const page = gatePage({
      ...frameOf(browser),
      title: "Confirm your address",
      heading: "Confirm your address",
      lead: `${known.email} becomes the address of your account.`,
      body: html`<form class="form mt" action="/users/confirmation/${token}" method="post">${csrfField(browser.csrfToken)}
${submitButton("Confirm", { tone: "primary", size: "lg block" })}</form>`,
    });
    return sendPage(reply, page, { referrerPolicy: "no-referrer" });
  });
  app.post<At>("/users/confirmation/:token", async (request, reply) => {
    const { viewer } = await checkForm(platform, request, reply);
    const email = await confirmEmail(platform, request.params.token, request.ip);
    const text = `${email} is the address of your account now.`;
    return redirectWith(platform, request, reply, viewer ? "/profile" : "/users/sign_in", {
      kind: "ok",
      text,
    });
  });
}
