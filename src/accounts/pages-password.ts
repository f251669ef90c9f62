/** `/profile/password`, and the page behind a one-time link for a new password. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import { submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { checkbox } from "../ui/choice.ts";
import { accountField, csrfField, faultOf, hiddenField, passwordField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import {
  type Browser,
  browserOf,
  checkForm,
  checkFormOfViewer,
  frameOf,
  needsViewer,
  redirectWith,
  renewSession,
  type SignedInBrowser,
} from "./browser.ts";
import { changePassword, type EndOtherTokens } from "./change-password.ts";
import { sendLinkOver } from "./pages-link-over.ts";
import { sendSettings } from "./pages-settings-frame.ts";
import { resetByLink } from "./reset-by-link.ts";
import { passwordLinkLives } from "./store-users.ts";

const HOME = "/profile/password";
const LINK = "/users/password/edit";
const HINT = "At least 12 characters. A sentence is fine.";
type Errors = { current?: string | undefined; next?: string | undefined };

/** Change with the current password, or set by link. */
export function passwordPages(
  app: FastifyInstance,
  platform: Platform,
  endOtherTokens: EndOtherTokens,
): void {
  app.get(HOME, async (request, reply) => show(reply, await needsViewer(platform, request, reply), {}));
  app.post(HOME, async (request, reply) => change(platform, request, reply, endOtherTokens));

  app.get<{ Querystring: { reset_password_token?: unknown } }>(LINK, async (request, reply) => {
    const { reset_password_token: secret } = request.query;
    if (typeof secret !== "string") throw new Problem("not_found", "404 Not Found");
    const browser = await browserOf(platform, request, reply);
    return (await isValidLink(platform, secret))
      ? showLink(reply, browser, secret)
      : sendInvalid(reply, browser);
  });
  // The form is on a page whose address contains the secret, which this address does not have.
  app.post("/users/password", { config: { formOn: "/users/password/new" } }, async (request, reply) => {
    const browser = await checkForm(platform, request, reply);
    const secret = formText(request, "reset_password_token");
    if (!(await isValidLink(platform, secret))) return sendInvalid(reply, browser);
    try {
      await resetByLink(platform, { secret, password: formText(request, "password"), ip: request.ip });
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return showLink(reply, browser, secret, faultOf(error.fields, "password", "Password"));
    }
    const text = "Your password is new. Sign in with it.";
    return redirectWith(platform, request, reply, "/users/sign_in", { kind: "ok", text });
  });
}

/** Whether the link is valid: it exists, and is neither spent, replaced nor expired. */
async function isValidLink({ db }: Platform, secret: string): Promise<boolean> {
  return maySecretBe("passwordLink", secret) && (await passwordLinkLives(db, digest(secret)));
}

function sendInvalid(reply: FastifyReply, browser: Browser) {
  return sendLinkOver(reply, browser, {
    lead: "A link for a new password works once, for an hour if it came by mail and for a day if somebody gave it to you, and only as long as no newer one was made.",
    next: "Ask for a new one.",
    way: { label: "Forgot your password?", href: "/users/password/new" },
  });
}

async function change(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  endOtherTokens: EndOtherTokens,
) {
  const browser = await checkFormOfViewer(platform, request, reply);
  const { userId: id, username } = browser.viewer;
  const given = {
    current: formText(request, "current_password"),
    next: formText(request, "password"),
    endTokens: formText(request, "end_tokens") === "yes" ? endOtherTokens : undefined,
    session: browser.digest,
  };
  let passwordHash: string;
  try {
    passwordHash = await changePassword(platform, { id, username }, given, request.ip);
  } catch (error) {
    const errors = errorsOf(error);
    if (!errors) throw error;
    return show(reply, browser, errors);
  }
  await renewSession(platform, request, reply, { userId: id, by: ["pwd"], passwordHash });
  const text = "Your password is new. Every other session is over.";
  return redirectWith(platform, request, reply, HOME, { kind: "ok", text });
}

function errorsOf(error: unknown): Errors | undefined {
  if (error instanceof FieldProblem) return { next: faultOf(error.fields, "password", "New password") };
  if (!(error instanceof Problem)) return undefined;
  if (error.kind === "forbidden") return { current: "That is not your password." };
  return error.kind === "too_many" ? { current: error.message } : undefined;
}

function show(reply: FastifyReply, browser: SignedInBrowser, { current, next }: Errors) {
  const head = pageHead({
    heading: "Password",
    lead: "A new password ends every session but this one. Programs that use tokens keep working.",
  });
  const body = html`<form class="form" action="${HOME}" method="post">${csrfField(browser.csrfToken)}${accountField(browser.viewer.username)}
${passwordField({ name: "current_password", label: "Current password", error: current, autocomplete: "current-password", required: true, autofocus: current !== undefined })}
${passwordField({ name: "password", label: "New password", error: next, hint: HINT, autocomplete: "new-password", required: true, autofocus: next !== undefined })}
${checkbox("end_tokens", { value: "yes", label: "Revoke my personal access tokens and my feed token too", hint: "Recommended if somebody else may know the old password." })}
<div class="btn-row">${submitButton("Change password", { tone: "primary" })}</div></form>`;
  const main = html`${head}${stack([card({ id: "change", heading: "Change your password", body })])}`;
  const failed = current !== undefined || next !== undefined;
  return sendSettings(reply, browser, { title: "Password", current: "password", main, failed });
}

function showLink(reply: FastifyReply, browser: Browser, secret: string, error?: string) {
  const page: Html = gatePage({
    ...frameOf(browser),
    title: "New password",
    heading: "Set a new password",
    lead: "This link works once. Every session of the account ends.",
    failed: error !== undefined,
    body: html`<form class="form mt" action="/users/password" method="post">${csrfField(browser.csrfToken)}${hiddenField("reset_password_token", secret)}
${passwordField({ name: "password", label: "New password", error, hint: HINT, autocomplete: "new-password", required: true, autofocus: true })}
${submitButton("Set password", { tone: "primary", size: "lg block" })}
</form>`,
  });
  return sendPage(reply, page, { referrerPolicy: "no-referrer", failed: error !== undefined });
}
