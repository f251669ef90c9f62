/** `/users/prove`: asks for the password or a passkey again, before a sensitive act. */
import type { FastifyInstance, FastifyReply } from "fastify";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { submitButton } from "../ui/button.ts";
import { accountField, csrfField, passwordField } from "../ui/form.ts";
import { html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { passkeyForm } from "../ui/passkey-form.ts";
import { askPasskey } from "./ask-passkey.ts";
import {
  type Browser,
  checkFormOfViewer,
  frameOf,
  needsViewer,
  renewSession,
  takeReturnPath,
} from "./browser.ts";
import { checkPasskey } from "./check-passkey.ts";
import { checkPassword } from "./check-password.ts";
import type { Method, SignedIn } from "./session.ts";
import { findFactors } from "./store-second-factor.ts";

const HOME = "/users/prove";

/** The target of `needsFreshProof`; afterwards the person returns to where they were. */
export function provePages(app: FastifyInstance, platform: Platform): void {
  app.get(HOME, async (request, reply) =>
    show(platform, reply, await needsViewer(platform, request, reply), {}),
  );
  app.post(`${HOME}/passkey/options`, async (request, reply) => {
    const { viewer, digest: session } = await checkFormOfViewer(platform, request, reply);
    const options = await askPasskey(platform, { purpose: "proof", session, userId: viewer.userId });
    return reply.header("cache-control", "no-store").send(options);
  });
  app.post(HOME, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    const { userId: id, username } = browser.viewer;
    const answer = formText(request, "passkey");
    let by: Method = "pwd";
    try {
      if (answer) by = await checkPasskey(platform, id, { session: browser.digest, answer }, request.ip);
      else {
        const password = formText(request, "password");
        await checkPassword(platform, { id, username }, { password, address: request.ip });
      }
    } catch (error) {
      if (!(error instanceof Problem) || (error.kind !== "forbidden" && error.kind !== "too_many"))
        throw error;
      if (answer) return show(platform, reply, browser, { passkey: error.message });
      const password = error.kind === "forbidden" ? "That is not your password." : error.message;
      return show(platform, reply, browser, { password });
    }
    const returnTo = await takeReturnPath(platform, request, reply);
    await renewSession(platform, request, reply, { userId: id, by: [by], onlyInstead: true });
    return reply.redirect(returnTo, 303);
  });
}

async function show(
  { db }: Platform,
  reply: FastifyReply,
  browser: Browser & { viewer: SignedIn },
  { password: error, passkey: passkeyError }: { password?: string; passkey?: string },
) {
  const { passkeys } = await findFactors(db, browser.viewer.userId);
  const failed = error !== undefined || passkeyError !== undefined;
  const heading = passkeys > 0 ? "Confirm that it’s you" : "Confirm your password";
  const page = gatePage({
    ...frameOf(browser),
    title: heading,
    heading,
    scripts: passkeys > 0 ? ["passkey.js"] : [],
    lead: "This action is sensitive, and you signed in a while ago. Nothing has been done yet: you will return to where you were and can then confirm the action.",
    failed,
    body: html`${
      passkeys > 0 &&
      html`<div class="mt">${passkeyForm({ kind: "get", action: HOME, options: `${HOME}/passkey/options`, csrfToken: browser.csrfToken, button: "Use your passkey", look: { tone: "primary", size: "lg block" }, error: passkeyError })}</div>
<p class="or js mt">or</p>`
    }<form class="form mt" action="${HOME}" method="post">${csrfField(browser.csrfToken)}${accountField(browser.viewer.username)}
${passwordField({ name: "password", label: "Your password", error, autocomplete: "current-password", required: true, autofocus: passkeys === 0 })}
${submitButton("Continue", { tone: passkeys > 0 ? undefined : "primary", size: "lg block" })}
</form>`,
    below: html`<a href="/">Cancel</a>`,
  });
  return sendPage(reply, page, failed ? { status: 422 } : {});
}
