/** `/users/prove`: the password once more, before a sensitive act. */
import type { FastifyInstance, FastifyReply } from "fastify";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { submitButton } from "../ui/button.ts";
import { csrfField, passwordField } from "../ui/form.ts";
import { html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import {
  type Browser,
  checkFormOfViewer,
  frameOf,
  needsViewer,
  renewSession,
  takeReturnPath,
} from "./browser.ts";
import { checkPassword } from "./check-password.ts";

const HOME = "/users/prove";

/** Where `needsFreshProof` leads; afterwards the person is back where they were. */
export function provePages(app: FastifyInstance, platform: Platform): void {
  app.get(HOME, async (request, reply) => show(reply, await needsViewer(platform, request, reply)));
  app.post(HOME, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    const { userId: id, username } = browser.viewer;
    try {
      await checkPassword(platform, { id, username }, formText(request, "password"), request.ip);
    } catch (error) {
      if (!(error instanceof Problem) || (error.kind !== "forbidden" && error.kind !== "too_many"))
        throw error;
      return show(reply, browser, error.kind === "forbidden" ? "That is not your password." : error.message);
    }
    const returnTo = await takeReturnPath(platform, request, reply);
    await renewSession(platform, request, reply, { userId: id });
    return reply.redirect(returnTo, 303);
  });
}

function show(reply: FastifyReply, browser: Browser, error?: string) {
  const page = gatePage({
    ...frameOf(browser),
    title: "Your password again",
    heading: "Your password again",
    lead: "What you are about to do opens doors, and it is a while since you signed in. Nothing was done yet; then press once more.",
    failed: error !== undefined,
    body: html`<form class="form mt" action="${HOME}" method="post">${csrfField(browser.csrfToken)}
${passwordField({ name: "password", label: "Your password", error, autocomplete: "current-password", required: true, autofocus: true })}
${submitButton("Go on", { tone: "primary", size: "lg block" })}
</form>`,
    below: html`<a href="/">Leave it</a>`,
  });
  return sendPage(reply, page, error ? { status: 422 } : {});
}
