/** The pages by which people come in and go: sign-in, its second step, sign-out. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { countUp } from "../platform/metrics.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { submitButton } from "../ui/button.ts";
import { csrfField, passwordField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { message } from "../ui/message.ts";
import { durationWords } from "../ui/time.ts";
import { authenticate } from "./authenticate.ts";
import {
  type Browser,
  browserOf,
  checkForm,
  endSession,
  frameOf,
  renewSession,
  StaleForm,
  takeReturnPath,
} from "./browser.ts";
import { deviceWords } from "./device.ts";
import { proveSecondFactor } from "./prove-second-factor.ts";
import { recordAudit } from "./record-audit.ts";
import { findUser, updateSignIn } from "./store.ts";

/** `/users/sign_in`, `/users/two_factor`, `/users/sign_out` (contract §4, sign in). */
export function signInPages(app: FastifyInstance, platform: Platform): void {
  app.get("/users/sign_in", async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    if (browser.viewer) return reply.redirect(await takeReturnPath(platform, request, reply), 303);
    return sendPage(reply, signInPage(browser, {}));
  });
  app.post("/users/sign_in", async (request, reply) => signIn(platform, request, reply));

  app.get("/users/two_factor", async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    if (browser.pendingUserId === undefined) return reply.redirect("/users/sign_in", 303);
    return sendPage(reply, secondStepPage(browser, {}));
  });
  app.post("/users/two_factor", async (request, reply) => secondStep(platform, request, reply));

  app.post("/users/sign_out", async (request, reply) => {
    const { viewer } = await checkForm(platform, request, reply);
    await endSession(platform, request, reply);
    if (viewer) {
      const { userId } = viewer;
      const act = { actorId: userId, ip: request.ip };
      await recordAudit(platform.db.pooled, { ...act, action: "sign_out", userId });
    }
    return reply.redirect("/users/sign_in", 303);
  });
}

async function signIn(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const username = formText(request, "username").trim();
  const browser = await freshForm(platform, request, reply);
  if (browser instanceof StaleForm) {
    const again = await browserOf(platform, request, reply);
    return sendPage(reply, signInPage(again, { username, error: STALE }), { status: 403 });
  }
  const judged = await authenticate(platform, username, formText(request, "password"), request.ip);
  if (!judged.user) {
    countUp("gatehouse_sign_ins_total", { result: judged.refused });
    request.log.info({ refused: judged.refused, ip: request.ip }, "sign-in refused");
    // Throttling counts what was typed, known or not, so that it tells nothing either.
    const status = judged.refused === "throttled" ? 429 : 422;
    if (judged.waitSeconds > 0) reply.header("retry-after", String(judged.waitSeconds));
    const error = `That username and password don’t match.${waitWords(judged.waitSeconds)}`;
    return sendPage(reply, signInPage(browser, { username, error }), { status });
  }
  const { id, twoFactor } = judged.user;
  if (twoFactor) {
    await renewSession(platform, request, reply, { pendingUserId: id });
    return reply.redirect("/users/two_factor", 303);
  }
  return enter(platform, request, reply, id);
}

async function secondStep(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await checkForm(platform, request, reply);
  const userId = browser.pendingUserId;
  const user = userId === undefined ? undefined : await findUser(platform.db, userId);
  if (user?.state !== "active" || !user.twoFactor) return reply.redirect("/users/sign_in", 303);
  const proof = await proveSecondFactor(platform, user.id, formText(request, "code").slice(0, 100));
  if (proof.accepted) return enter(platform, request, reply, user.id);
  countUp("gatehouse_sign_ins_total", { result: "second step" });
  const note = { action: "code_refused", actorId: null, userId: user.id, ip: request.ip } as const;
  await recordAudit(platform.db.pooled, note);
  request.log.info({ userId: user.id, ip: request.ip }, "second step refused");
  if (proof.waitSeconds > 0) reply.header("retry-after", String(proof.waitSeconds));
  const error = `That code doesn’t fit. Take the newest one; each works once.${waitWords(proof.waitSeconds)}`;
  return sendPage(reply, secondStepPage(browser, { error }), { status: 422 });
}

/** Every step is passed: a new session secret, and on to where the person wanted to go. */
async function enter(platform: Platform, request: FastifyRequest, reply: FastifyReply, userId: number) {
  const returnTo = await takeReturnPath(platform, request, reply);
  await renewSession(platform, request, reply, { userId });
  await updateSignIn(platform.db, userId);
  countUp("gatehouse_sign_ins_total", { result: "in" });
  const details = { device: deviceWords(request.headers["user-agent"] ?? "") };
  const act = { actorId: userId, ip: request.ip };
  await recordAudit(platform.db.pooled, { ...act, action: "sign_in", userId, details });
  return reply.redirect(returnTo, 303);
}

const STALE = "This page was open for too long, so nothing was sent. Sign in now.";

/** The browser of a checked form, or the refusal, so that the page can keep what was typed. */
async function freshForm(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  try {
    return await checkForm(platform, request, reply);
  } catch (error) {
    if (error instanceof StaleForm) return error;
    throw error;
  }
}

/** What a throttled person reads. */
export function waitWords(seconds: number): string {
  return seconds > 0 ? ` Wait ${durationWords(seconds)} before the next try.` : "";
}

function signInPage(browser: Browser, shown: { username?: string; error?: string }): Html {
  const { username, error } = shown;
  return gatePage({
    ...frameOf(browser),
    title: "Sign in",
    heading: "Sign in",
    failed: error !== undefined,
    body: html`${error && html`<div class="mt">${message({ kind: "bad", text: error, id: "refused" })}</div>`}
<form class="form mt" action="/users/sign_in" method="post">${csrfField(browser.csrfToken)}
${textField({ name: "username", label: "Username or email", value: username, autocomplete: "username", spellcheck: false, required: true, autofocus: !username })}
${passwordField({ name: "password", label: "Password", autocomplete: "current-password", required: true, autofocus: Boolean(username) })}
${submitButton("Sign in", { tone: "primary", size: "lg block" })}
</form>`,
    below: html`No account, or a forgotten password? Ask an administrator of this Gatehouse.`,
  });
}

function secondStepPage(browser: Browser, shown: { error?: string }): Html {
  return gatePage({
    ...frameOf(browser),
    title: "Two-factor sign-in",
    heading: "Two-factor sign-in",
    lead: "Enter the six-digit code from your authenticator app.",
    failed: shown.error !== undefined,
    body: html`<form class="form mt" action="/users/two_factor" method="post">${csrfField(browser.csrfToken)}
${textField({ name: "code", label: "Code", error: shown.error, hint: "A new code appears every 30 seconds. Pasting works. A recovery code fits here too.", autocomplete: "one-time-code", spellcheck: false, required: true, autofocus: true, code: true, maxlength: 32 })}
${submitButton("Verify", { tone: "primary", size: "lg block" })}
</form>`,
    below: html`<a href="/users/sign_in">Sign in as someone else</a>`,
  });
}
