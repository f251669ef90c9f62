/** `/users/confirmation/:token`: the page behind the link of a mail, which confirms a new mail address. */
import type { FastifyInstance } from "fastify";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { csrfField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { type Browser, browserOf, checkForm, frameOf, redirectWith } from "./browser.ts";
import { confirmEmail } from "./confirm-email.ts";
import { sendLinkOver } from "./pages-link-over.ts";
import { findEmailChange } from "./store-profiles.ts";

type At = { Params: { token: string } };

/**
 * Opening the link changes nothing; the button does. The page names the account, and only its own person or nobody may be signed
 * in: whoever reads the mailbox would otherwise take a link that somebody else asked for as one of their own account.
 */
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
    const { viewer } = browser;
    const page =
      viewer && viewer.userId !== known.userId
        ? othersPage(browser, viewer.username, known)
        : ownPage(browser, token, known);
    return sendPage(reply, page, { referrerPolicy: "no-referrer" });
  });
  app.post<At>("/users/confirmation/:token", async (request, reply) => {
    const { viewer } = await checkForm(platform, request, reply);
    const by = { viewerId: viewer?.userId, ip: request.ip };
    const { email, username } = await confirmEmail(platform, request.params.token, by);
    const text = `${email} is the address of @${username} now.`;
    return redirectWith(platform, request, reply, viewer ? "/profile" : "/users/sign_in", {
      kind: "ok",
      text,
    });
  });
}

type Change = NonNullable<Awaited<ReturnType<typeof findEmailChange>>>;

function ownPage(browser: Browser, token: string, { email, username }: Change): Html {
  return gatePage({
    ...frameOf(browser),
    title: "Confirm the address",
    heading: "Confirm the address",
    lead: `${email} becomes the address of the account @${username}. If that is not your account, close this page.`,
    body: html`<form class="form mt" action="/users/confirmation/${token}" method="post">${csrfField(browser.csrfToken)}
${submitButton(`Confirm for @${username}`, { tone: "primary", size: "lg block" })}</form>`,
  });
}

function othersPage(browser: Browser, viewer: string, { email, username }: Change): Html {
  return gatePage({
    ...frameOf(browser),
    title: "Another account",
    heading: "This link is for another account",
    lead: `It makes ${email} the address of @${username}, and you are signed in as @${viewer}.`,
    body: html`<p class="mt">If @${username} is yours too, sign in as @${username} and open the link again. If not, do nothing: the address stays as it is.</p><div class="btn-row mt">${linkButton("To the start page", "/")}</div>`,
  });
}
