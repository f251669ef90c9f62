/** `/oauth/authorize`: asks the person, and sends the answer back to the application (spec: GET /oauth/authorize). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Browser, browserOf, checkForm, frameOf, SignInNeeded } from "../accounts/browser.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { formList, formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest, newIdentifier } from "../platform/secret.ts";
import { auditDetails } from "./application.ts";
import { approveAuthorization } from "./approve-authorization.ts";
import { AuthorizationError, type AuthorizationErrorCode } from "./authorization-error.ts";
import {
  type AuthorizationRequest,
  checkAuthorization,
  type GivenParameters,
} from "./check-authorization.ts";
import { forgottenScopes, mayGoOnUnasked } from "./consent.ts";
import { findLives } from "./find-lives.ts";
import { findSettings } from "./find-settings.ts";
import { askedFor, type Expected, expectedPerson } from "./pages-authorize-hint.ts";
import { isPlainNavigation, leave } from "./pages-authorize-leave.ts";
import { telling } from "./pages-authorize-telling.ts";
import { type Consent, consentPage } from "./pages-consent.ts";
import { signOutFor } from "./pages-sign-out.ts";
import { formActionOf, isOutOfBand } from "./redirect-uri.ts";
import { type Settings, sparesAdministrators } from "./settings.ts";
import { findApplicationByUid } from "./store.ts";
import { findConsent, insertRequest, takeRequest } from "./store-authorizations.ts";
import { findMaker } from "./store-makers.ts";
import { findSessionAge } from "./store-openid.ts";
import { authorizationParameters, scopesAllowed, waitingParameters } from "./wire.ts";

/** Browser-only applications open a window for the question and wait for what comes back to it. */
const IN_POPUP = { config: { inPopup: true } };

/** `GET` asks, `POST` answers; `DELETE`, or `_method=delete` in the form, denies (reference oauth A1). */
export function authorizePages(app: FastifyInstance, platform: Platform): void {
  // A HEAD must not spend anything, and must not fall to another door's wildcard.
  app.head("/oauth/authorize", async (_request, reply) => {
    reply.header("allow", "GET, POST, DELETE");
    throw new Problem("not_allowed", "405 Not Allowed");
  });
  app.get("/oauth/authorize", { exposeHeadRoute: false, ...IN_POPUP }, (request, reply) =>
    telling(platform, request, reply, () => ask(platform, request, reply)),
  );
  app.post("/oauth/authorize", IN_POPUP, (request, reply) => {
    const asked = postedQuestion(request);
    if (asked) return reply.redirect(`/oauth/authorize?${asked}`, 303);
    return telling(platform, request, reply, () => answer(platform, request, reply, decisionOf(request)));
  });
  app.delete("/oauth/authorize", (request, reply) =>
    telling(platform, request, reply, () => answer(platform, request, reply, "deny")),
  );
}

async function ask(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db, config } = platform;
  const parameters = authorizationParameters(request.query);
  const settings = await findSettings(platform);
  const asked = await checkAuthorization(db, { issuer: config.publicUrl, settings }, parameters);
  // Judged, and of no consequence afterwards (decision 0195); it alone may be a list.
  const { resource: _judged, ...given } = parameters;
  const browser = await browserOf(platform, request, reply);
  const { viewer } = browser;
  const expected = await expectedPerson(platform, asked, given);
  if (await mustSignIn(platform, browser, asked, expected)) {
    return signInFirst(platform, request, reply, asked, given, expected);
  }
  if (!viewer) throw new SignInNeeded();
  checkAdministrator(settings, viewer, asked);
  const allowed = await findConsent(db, viewer.userId, asked.application.id);
  const mayGoOn = !wantsQuestion(asked) && mayGoOnUnasked(asked.application, asked.scopes, allowed);
  if (mayGoOn && isPlainNavigation(request)) {
    const approval = { ...settings, userId: viewer.userId, session: browser.digest };
    const location = await approveAuthorization(db, approval, asked);
    if (location !== undefined) return leave(platform, request, reply, location, asked.redirect.mode);
    // The session or the consent has ended since they were read: judged anew.
    const again = new URLSearchParams(given as Readonly<Record<string, string>>);
    return reply.redirect(`/oauth/authorize?${again}`, 303);
  }
  if (asked.prompts.includes("none")) {
    const code = mayGoOn ? "interaction_required" : "consent_required";
    throw refusal(asked, code, "The person must be asked, and prompt is none.");
  }
  return sendQuestion(platform, reply, browser, asked, { allowed, maySwitch: expected === undefined });
}

async function sendQuestion(
  platform: Platform,
  reply: FastifyReply,
  browser: Browser,
  asked: AuthorizationRequest,
  shown: Pick<Consent, "allowed" | "maySwitch" | "tickedNothing">,
): Promise<FastifyReply> {
  const { viewer } = browser;
  if (!viewer) throw new SignInNeeded();
  const requestId = await keep(platform, browser, viewer.userId, asked);
  const page = consentPage({
    ...shown,
    asked,
    lives: await findLives(platform, asked.application),
    maker: await findMaker(platform.db, asked.application.id, viewer.userId),
    viewer,
    requestId,
    csrfToken: browser.csrfToken,
    frame: frameOf(browser),
  });
  return sendPage(reply, page, {
    ...(shown.tickedNothing ? { status: 422 } : {}),
    formAction: isOutOfBand(asked.redirect.uri) ? [] : [formActionOf(asked.redirect.uri)],
    referrerPolicy: "no-referrer",
  });
}

/**
 * Whether nobody is signed in, or somebody else than is expected, or only somebody who proved it too long ago (OpenID
 * Connect Core §3.1.2.1, §3.1.2.3).
 */
async function mustSignIn(
  { db }: Platform,
  browser: Browser,
  asked: AuthorizationRequest,
  expected: Expected | undefined,
): Promise<boolean> {
  const { prompts, maxAgeSeconds } = asked;
  // A max_age of 0 is a prompt=login by another name, however young the session is (errata set 2).
  if (!browser.viewer || prompts.includes("login") || maxAgeSeconds === 0) return true;
  if (expected && browser.viewer.userId !== expected.userId) return true;
  if (maxAgeSeconds === undefined) return false;
  const age = await findSessionAge(db, browser.digest);
  return age === undefined || age.ageSeconds > maxAgeSeconds;
}

function wantsQuestion({ prompts }: AuthorizationRequest): boolean {
  return prompts.includes("consent") || prompts.includes("select_account");
}

/** Leaves the session and begins again without what the new sign-in fulfils, so that it is asked once. */
async function signInFirst(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: AuthorizationRequest,
  given: GivenParameters,
  expected: Expected | undefined,
): Promise<FastifyReply> {
  const { viewer } = await browserOf(platform, request, reply);
  if (viewer && expected?.wasAsked && viewer.userId !== expected.userId) {
    throw refusal(asked, "login_required", "Somebody else than the id_token_hint names signed in.");
  }
  // What is fetched ahead or framed must not sign anybody out.
  if (asked.prompts.includes("none") || (viewer && !isPlainNavigation(request))) {
    throw refusal(asked, "login_required", "The person must sign in first.");
  }
  if (viewer) await signOutFor(platform, request, reply, asked.application, { mayComeBack: true });
  const { prompt: _prompt, max_age: _maxAge, ...rest } = given as Readonly<Record<string, string>>;
  const prompts = asked.prompts.filter((word) => word !== "login");
  const again = prompts.length === 0 ? rest : { ...rest, prompt: prompts.join(" ") };
  // What is still to be asked after the sign-in is no reason to begin again.
  const isFulfilled = prompts.length < asked.prompts.length || given.max_age !== undefined;
  if (viewer || isFulfilled || expected?.wasAsked === false) {
    const parameters = new URLSearchParams(
      expected ? await askedFor(platform, asked, expected, again) : again,
    );
    return reply.redirect(`/oauth/authorize?${parameters}`, 303);
  }
  throw new SignInNeeded();
}

/** Keeps the checked request under an id that the browser’s session can use once; nothing is trusted again from the form. */
async function keep(
  { db }: Platform,
  browser: Browser,
  userId: number,
  asked: AuthorizationRequest,
): Promise<string> {
  const requestId = newIdentifier(64);
  await insertRequest(db, {
    digest: digest(requestId),
    sessionDigest: browser.digest,
    applicationId: asked.application.id,
    userId,
    responseType: asked.responseType,
    responseMode: asked.redirect.mode,
    redirectUri: asked.redirect.uri,
    scopes: asked.scopes,
    state: asked.redirect.state ?? null,
    codeChallenge: asked.codeChallenge ?? null,
    nonce: asked.nonce ?? null,
  });
  return requestId;
}

/**
 * The question, where one was posted and not an answer to it (OpenID Connect Core §3.1.2.1: either method may ask). Asked
 * again by GET it needs no proof of where it came from, as little as a link does. A parameter in the address and in the
 * body stands twice.
 */
function postedQuestion(request: FastifyRequest): URLSearchParams | undefined {
  const isAnswer = ["csrf_token", "request_id", "decision", "_method"].some(
    (n) => formList(request, n).length > 0,
  );
  if (isAnswer || formText(request, "client_id") === "") return undefined;
  const asked = new URLSearchParams();
  for (const given of [authorizationParameters(request.query), authorizationParameters(request.body)]) {
    for (const [name, value] of Object.entries(given)) {
      for (const one of [value].flat()) asked.append(name, one);
    }
  }
  return asked;
}

type Decision = "allow" | "deny" | "switch";

function decisionOf(request: FastifyRequest): Decision {
  const decision = formText(request, "decision");
  if (decision === "deny" || formText(request, "_method").toLowerCase() === "delete") return "deny";
  return decision === "switch" ? "switch" : "allow";
}

async function answer(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  decision: Decision,
): Promise<FastifyReply> {
  const { db, config } = platform;
  const browser = await checkForm(platform, request, reply);
  if (!browser.viewer) throw new SignInNeeded();
  const { userId } = browser.viewer;
  const waiting = await takeRequest(db, digest(formText(request, "request_id")), browser.digest, userId);
  if (!waiting) {
    throw new Problem(
      "invalid",
      "This question was answered before, or was open for too long. Go back to the application and start again.",
    );
  }
  const parameters = waitingParameters(waiting);
  if (decision === "switch") {
    const application = await findApplicationByUid(db, waiting.applicationUid);
    await signOutFor(platform, request, reply, application);
    return reply.redirect(`/oauth/authorize?${new URLSearchParams(parameters)}`, 303);
  }
  // Judged once more: the application or the switches may have been changed while the page was open.
  const settings = await findSettings(platform);
  const asked = await checkAuthorization(db, { issuer: config.publicUrl, settings }, parameters);
  const act = { actorId: userId, ip: request.ip };
  if (decision === "deny") {
    const details = auditDetails(asked.application);
    await recordAudit(db.pooled, { ...act, action: "access_denied", userId, details });
    throw refusal(asked, "access_denied", "The person denied the request.");
  }
  checkAdministrator(settings, browser.viewer, asked);
  const scopes = scopesAllowed(request, asked.application, asked.scopes);
  if (scopes.length === 0) {
    const allowed = await findConsent(db, userId, asked.application.id);
    return sendQuestion(platform, reply, browser, asked, { allowed, maySwitch: false, tickedNothing: true });
  }
  const forgotten = forgottenScopes(asked.scopes, scopes);
  const approval = { ...settings, userId, session: browser.digest, act, forgotten };
  const location = await approveAuthorization(db, approval, { ...asked, scopes });
  if (location === undefined) throw new SignInNeeded();
  return leave(platform, request, reply, location, asked.redirect.mode);
}

/** Where the instance says so, administrators give full access to trusted applications alone. @throws AuthorizationError */
function checkAdministrator(
  settings: Settings,
  { isAdmin }: { isAdmin: boolean },
  asked: AuthorizationRequest,
): void {
  if (!isAdmin || !sparesAdministrators(settings, asked.application, asked.scopes)) return;
  const words =
    "Administrators of this server cannot give the scope api to an application that is not trusted.";
  throw refusal(asked, "access_denied", words);
}

function refusal(
  { redirect, application }: AuthorizationRequest,
  code: AuthorizationErrorCode,
  words: string,
): AuthorizationError {
  return new AuthorizationError(redirect, code, words, application);
}
