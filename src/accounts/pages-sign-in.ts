/** The pages for sign-in, its second step, and sign-out. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { countUp } from "../platform/metrics.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { type Html, html } from "../ui/html.ts";
import { durationWords } from "../ui/time.ts";
import { askPasskey } from "./ask-passkey.ts";
import { type Authentication, authenticate, authenticateByPasskey } from "./authenticate.ts";
import { browserOf, checkForm, renewSession, returnPathOf, StaleForm, storedBrowserOf } from "./browser.ts";
import { deviceWords } from "./device.ts";
import { isForeign } from "./foreign-form.ts";
import { secondStepPage, signInPage, wantsToStay } from "./pages-sign-in-views.ts";
import { proveSecondFactor } from "./prove-second-factor.ts";
import { recordAudit } from "./record-audit.ts";
import { keepReturnPathOfForm, returnPathOfForm, returnPathOfLink } from "./return-path-of-form.ts";
import { sealReturnPath } from "./sealed-return-path.ts";
import { sessionCookieName } from "./session.ts";
import { signOut } from "./sign-out.ts";
import { countAdministrators, findUser, updateSignIn } from "./store.ts";
import { findFactors } from "./store-second-factor.ts";
import type { SessionOf } from "./store-sessions.ts";
import { takeReturnPath } from "./take-return-path.ts";
import { waitingAuthorization } from "./waiting-authorization.ts";

/**
 * Returns the displayed name of the application with this Application ID; undefined if there is none. Provided by the room of
 * OAuth.
 */
export type NameApplication = (uid: string) => Promise<string | undefined>;

type Door = Platform & { nameApplication: NameApplication; isUnclaimed: () => Promise<boolean> };

/** `/users/sign_in`, `/users/two_factor`, `/users/sign_out` (contract §4, sign in). */
export function signInPages(
  app: FastifyInstance,
  platform: Platform,
  nameApplication: NameApplication,
): void {
  const door = { ...platform, nameApplication, isUnclaimed: unclaimedUntil(platform) };
  app.get("/users/sign_in", async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    const returnPath = returnPathOfLink(platform, request);
    if (browser.viewer)
      return reply.redirect(returnPath ?? (await takeReturnPath(platform, request, reply)), 303);
    if (returnPath) return sendSignIn(door, request, reply, { returnPath });
    // The account that the application suggested (OpenID Connect Core §3.1.2.1), used as text only.
    const username = waitingAuthorization(request)?.get("login_hint")?.slice(0, 255);
    return sendSignIn(door, request, reply, username ? { username } : {});
  });
  app.post("/users/sign_in", async (request, reply) => signIn(door, request, reply));
  app.post("/users/sign_in/passkey/options", async (request, reply) => {
    await checkForm(platform, request, reply);
    const { digest: session } = await storedBrowserOf(platform, request, reply);
    const options = await askPasskey(platform, { purpose: "sign_in", session, userId: null });
    return reply.header("cache-control", "no-store").send(options);
  });
  app.post("/users/sign_in/passkey", async (request, reply) => signInByPasskey(door, request, reply));

  app.get("/users/two_factor", async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    if (browser.pendingUserId === undefined) return reply.redirect("/users/sign_in", 303);
    return sendGate(
      request,
      reply,
      secondStepPage(browser, await findFactors(platform.db, browser.pendingUserId), {}),
    );
  });
  app.post("/users/two_factor/passkey/options", async (request, reply) => {
    const { digest: session, pendingUserId } = await checkForm(platform, request, reply);
    if (pendingUserId === undefined) return reply.redirect("/users/sign_in", 303);
    const question = { purpose: "second_factor", session, userId: pendingUserId } as const;
    return reply.header("cache-control", "no-store").send(await askPasskey(platform, question));
  });
  app.post("/users/two_factor", async (request, reply) => secondStep(platform, request, reply));

  app.post("/users/sign_out", async (request, reply) => {
    await checkForm(platform, request, reply);
    await signOut(platform, request, reply);
    return reply.redirect("/users/sign_in", 303);
  });
}

async function signIn(platform: Door, request: FastifyRequest, reply: FastifyReply) {
  const username = formText(request, "username").trim();
  const browser = await checkedForm(platform, request, reply);
  if (browser instanceof StaleForm)
    return answerStaleForm(platform, request, reply, { username, stays: wantsToStay(request) });
  const stays = wantsToStay(request);
  const given = { login: username, password: formText(request, "password") };
  const judged = await authenticate(platform, given, request.ip);
  if (!judged.user) {
    const status = noteRefusal(request, reply, judged);
    const error = `That username and password don’t match.${standingWords(judged)}`;
    return sendSignIn(platform, request, reply, { username, stays, error, isMismatch: true }, status);
  }
  const { id, twoFactor } = judged.user;
  const { by, passwordHash } = judged;
  if (twoFactor) {
    await renewSession(platform, request, reply, { pendingUserId: id, by, passwordHash, kept: stays });
    return reply.redirect("/users/two_factor", 303);
  }
  return completeSignIn(platform, request, reply, { userId: id, by, passwordHash, kept: stays });
}

/** A passkey replaces name, password and second factor. */
async function signInByPasskey(platform: Door, request: FastifyRequest, reply: FastifyReply) {
  const browser = await checkedForm(platform, request, reply);
  if (browser instanceof StaleForm) return answerStaleForm(platform, request, reply, {});
  const answer = formText(request, "passkey");
  const judged = await authenticateByPasskey(platform, { session: browser.digest, answer }, request.ip);
  if (judged.user) {
    const who = { userId: judged.user.id, by: judged.by, kept: wantsToStay(request) };
    return completeSignIn(platform, request, reply, who, { with: "passkey" });
  }
  const status = noteRefusal(request, reply, judged);
  const error = `That passkey was not accepted. Try again, or use your password.${waitWords(judged.waitSeconds)}`;
  return sendSignIn(platform, request, reply, { error }, status);
}

/** Counts and logs a refusal; returns the status of the page. */
function noteRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  { refused, waitSeconds }: Extract<Authentication, { refused: string }>,
): number {
  countUp("gatehouse_sign_ins_total", { result: refused });
  request.log.info({ refused, ip: request.ip }, "sign-in refused");
  if (waitSeconds > 0) reply.header("retry-after", String(waitSeconds));
  // Throttling counts known and unknown names alike, so the status reveals nothing.
  return refused === "throttled" ? 429 : 422;
}

async function secondStep(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await checkForm(platform, request, reply);
  const userId = browser.pendingUserId;
  const user = userId === undefined ? undefined : await findUser(platform.db, userId);
  if (user?.state !== "active" || !user.twoFactor) return reply.redirect("/users/sign_in", 303);
  const passkey = formText(request, "passkey");
  const given = passkey
    ? { passkey, session: browser.digest }
    : { code: formText(request, "code").slice(0, 100) };
  const proof = await proveSecondFactor(platform, user.id, given);
  if (proof.accepted) {
    const who = { userId: user.id, by: [proof.method], onlyInstead: true };
    return completeSignIn(platform, request, reply, who, { second: passkey ? "passkey" : "code" });
  }
  countUp("gatehouse_sign_ins_total", { result: "second step" });
  const note = { actorId: null, userId: user.id, ip: request.ip };
  const details = { reason: proof.reason ?? "", for: "second step" };
  await recordAudit(
    platform.db.pooled,
    passkey ? { ...note, action: "passkey_refused", details } : { ...note, action: "code_refused" },
  );
  request.log.info({ userId: user.id, ip: request.ip }, "second step refused");
  if (proof.waitSeconds > 0) reply.header("retry-after", String(proof.waitSeconds));
  const passkeyError = "That passkey was not accepted. Try again.";
  const factors = await findFactors(platform.db, user.id);
  const advice = factors.app
    ? "Take the newest one; each works once. If new ones don’t fit either, set the clock of your phone."
    : "Each works once.";
  const error = `That code doesn’t fit. ${advice}${waitWords(proof.waitSeconds)}`;
  return sendGate(request, reply, secondStepPage(browser, factors, passkey ? { passkeyError } : { error }), {
    failed: true,
  });
}

/** After the last step: renews the session and redirects to the return path. */
async function completeSignIn(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  who: SessionOf & { userId: number },
  how: Readonly<Record<string, string>> = {},
) {
  const returnTo = await takeReturnPath(platform, request, reply);
  const { userId } = who;
  const details = { device: deviceWords(request.headers["user-agent"] ?? ""), ...how };
  const note = { action: "sign_in", actorId: userId, userId, ip: request.ip, details } as const;
  await renewSession(platform, request, reply, who, (tx) => recordAudit(tx, note));
  await updateSignIn(platform.db.pooled, userId);
  countUp("gatehouse_sign_ins_total", { result: "in" });
  return reply.redirect(returnTo, 303);
}

const STALE = "This page was open for too long, so nothing was sent. Sign in now.";
const IS_IN = html`You are signed in already, so nothing was sent. <a href="/">Go to the start page</a>, or sign in as somebody else.`;
const NO_COOKIE =
  "Your browser sent no cookie, so nothing was done. If it blocks cookies, allow them for this site; then sign in.";

/** Answers a form without the token of its session. A person who has signed in by another tab meanwhile is redirected. */
async function answerStaleForm(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  kept: { username?: string; stays?: boolean },
): Promise<FastifyReply> {
  const { viewer } = await browserOf(door, request, reply);
  const returnPath = returnPathOfForm(door, request);
  if (viewer && returnPath) return reply.redirect(returnPath, 303);
  await keepReturnPathOfForm(door, request, reply);
  const hasCookie = request.cookies[sessionCookieName(door.config.secure)] !== undefined;
  const error = viewer ? IS_IN : hasCookie ? STALE : NO_COOKIE;
  // Values of a form from another site were neither typed nor ticked by this person.
  const typed = isForeign(door, request) ? {} : kept;
  return sendSignIn(door, request, reply, { ...typed, error }, 403);
}

/** Returns the browser of a checked form, or the refusal, so that the page can keep what was typed. */
async function checkedForm(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  try {
    const browser = await checkForm(platform, request, reply);
    await keepReturnPathOfForm(platform, request, reply);
    return browser;
  } catch (error) {
    if (error instanceof StaleForm) return error;
    throw error;
  }
}

/** Says how many tries are left; known and unknown names are counted alike, so it reveals nothing. */
function standingWords({ waitSeconds, triesLeft = 0 }: { waitSeconds: number; triesLeft?: number }): string {
  if (waitSeconds > 0) return waitWords(waitSeconds);
  const tries = triesLeft === 1 ? "one try" : `${triesLeft} tries`;
  return triesLeft > 0 ? ` You have ${tries} left before a short wait.` : "";
}

/** The message for a throttled person. */
function waitWords(seconds: number): string {
  return seconds > 0 ? ` Wait ${durationWords(seconds)} before the next try.` : "";
}

/**
 * Sends the form, and says why it is shown (ux §7, sign in); `returnPath`: where it leads, if not to the session's return path.
 */
async function sendSignIn(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    returnPath,
    ...shown
  }: { username?: string; stays?: boolean; error?: Html | string; isMismatch?: boolean; returnPath?: string },
  status = 200,
): Promise<FastifyReply> {
  const browser = await browserOf(door, request, reply);
  const uid = returnPath === undefined && waitingAuthorization(request)?.get("client_id");
  const application = uid ? await door.nameApplication(uid) : undefined;
  const unclaimed = await door.isUnclaimed();
  const path = returnPath ?? returnPathOf(request);
  const back = path ? sealReturnPath(door, path) : undefined;
  const leadsOn = returnPath === undefined && (returnPathOf(request) ?? "/") !== "/";
  const page = signInPage(browser, { ...shown, application, unclaimed, back, leadsOn });
  return sendGate(request, reply, page, { status });
}

/** Looks for administrators until there is one: before that nobody knows what to sign in with. */
function unclaimedUntil({ db }: Platform): () => Promise<boolean> {
  let claimed = false;
  return async () => {
    claimed ||= (await countAdministrators(db)) > 0;
    return !claimed;
  };
}

/** An application may have opened the window as a popup, and waits for the response (decision 0123). */
function sendGate(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Parameters<typeof sendPage>[1],
  options: Parameters<typeof sendPage>[2] = {},
): FastifyReply {
  return sendPage(reply, page, { ...options, inPopup: waitingAuthorization(request) !== undefined });
}
